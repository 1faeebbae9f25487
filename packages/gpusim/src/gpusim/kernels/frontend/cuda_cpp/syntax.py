"""What CUDA's compiler says of code that cannot be parsed."""

from __future__ import annotations

from .tokens import Token

_CLOSING = {"(": ")", "[": "]"}
_KEYWORDS = frozenset("if else for while do switch case default break continue return goto".split())
_BEGINS = frozenset((";", "{", "}", "(", ","))


def _place(tokens: list[Token], line: int, column: int, text: str) -> int:
    """Which token begins at a place; behind what precedes the first line, the first of its text there."""
    row, at, first = 1, 1, 0
    for k, token in enumerate(tokens):
        if token.line > row:
            row, at = token.line, 1
        if row == line and token.text == text:
            if at == column:
                return k
            first = first or k
        at += len(token.text) + 1
    return first if line == 1 else 0


def expected(tokens: list[Token], line: int, column: int, text: str, types: set[str]) -> str:
    """The compiler's words for a token that does not fit where it stands.

    Parameters
    ----------
    tokens : list of Token
        What was parsed.
    line, column, text
        Of the token, as the parser names it in what `joined` makes of the tokens.
    types : set of str
        Names that mean a type.
    """
    k = _place(tokens, line, column, text)
    if not k:
        return f'syntax error before "{text}"'
    before = tokens[k - 1]
    operand = before.text in (")", "]") or (before.kind != "mark" and before.text not in _KEYWORDS | types)
    first = k < 2 or tokens[k - 2].text in _BEGINS
    if before.kind == "name" and operand and first and tokens[k].kind == "name" and text not in _KEYWORDS | types:
        return f'identifier "{before.text}" is undefined'
    opened: list[str] = []
    for token in tokens[:k]:
        if token.text in ("(", "[", "{"):
            opened.append(token.text)
        elif token.text in (")", "]", "}") and opened:
            opened.pop()
    if text == "else":
        return "expected a statement"
    if text in ("{", "}") and not opened:
        return "expected a declaration"
    if operand:
        return f'expected a "{_CLOSING[opened[-1]]}"' if opened and opened[-1] in _CLOSING else 'expected a ";"'
    if before.text in types:
        return "expected an identifier"
    return (
        "expected an expression"
        if before.kind == "mark" and before.text not in _BEGINS
        else f'syntax error before "{text}"'
    )
