"""Structs as C++ has them, in terms of those that `cpp_to_c` reads.

A function that is defined outside of its struct is put into it, what a struct inherits becomes its own, and the first values of members
become part of its constructors.  All of it is done on tokens, so that a template of a struct is treated as any struct.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import NamedTuple

from .errors import Code
from .tokens import OPEN, Token, angle_end, arguments, close, written

BASE = "_hf_base_"
"""What begins the names of what a struct has of its base alone: the base's constructors, and functions that it has anew."""
_KINDS = ("struct", "class")
_ACCESS = ("public", "private", "protected")
_WITH_BRACKETS = ("__align__", "alignas", "__attribute__", "__launch_bounds__", "decltype", "noexcept")


@dataclass
class Member:
    """A piece of a struct's body.

    Attributes
    ----------
    kind : str
        ``label`` as in ``public:``, ``function``, ``data``, or ``other``: types, templates, ``using``.
    tokens : list of Token
    name : str
        Of a function.
    opening : int
        Where the parameters of a function open.
    """

    kind: str
    tokens: list[Token]
    name: str = ""
    opening: int = 0


@dataclass
class Parts:
    """A function's definition in its parts, all without their brackets."""

    head: list[Token]
    params: list[Token]
    words: list[Token]  # const, noexcept, override
    inits: list[tuple[Token, list[Token]]] = field(default_factory=list)
    body: list[Token] = field(default_factory=list)


class Base(NamedTuple):
    """A struct that others may inherit from.

    Attributes
    ----------
    members : list of Member
        With what it inherits itself.
    private : bool
        Whether its members are private until another word is found.
    params : list of str
        Of its template.
    """

    members: list[Member]
    private: bool
    params: list[str]


@dataclass
class Plain:
    """A source without what this module takes out.

    Attributes
    ----------
    tokens : list of Token
    aggregates : set of str
        Structs whose only constructor is for the first values of their members.
    bases : dict
        What each struct inherits from.
    structs, functions : dict
        What is written for some arguments of a template: the template and the arguments, by the name that it has here.
    """

    tokens: list[Token]
    aggregates: set[str]
    bases: dict[str, list[str]]
    structs: dict[str, tuple[str, list[str]]]
    functions: dict[str, tuple[str, list[str]]]


def plain(tokens: list[Token], code: Code) -> Plain:
    """A source with plainer structs.

    Raises
    ------
    CompileException
        For a function that its struct does not declare, and a base that is no struct.
    NotSimulatedError
        For a base of which nothing is made here.
    """
    walk = _Walk(code)
    tokens = walk.structs(walk.gathered(walk.specialised(tokens)))
    return Plain(tokens, walk.aggregates, walk.inherited, walk.special_structs, walk.special_functions)


class _Walk:
    def __init__(self, code: Code):
        self.code = code
        self.bases: dict[str, Base] = {}
        self.aggregates: set[str] = set()
        self.inherited: dict[str, list[str]] = {}
        self.special_structs: dict[str, tuple[str, list[str]]] = {}
        self.special_functions: dict[str, tuple[str, list[str]]] = {}

    # Specialised templates

    def specialised(self, tokens: list[Token]) -> list[Token]:
        """Give what is written for some arguments of a template a name of its own, and leave out what is only instantiated."""
        made: list[Token] = []
        general: dict[
            str, tuple[list[str], list[list[Token]]]
        ] = {}  # templates of functions: their own parameters, and what they take
        k = 0
        while k < len(tokens):
            text, after = tokens[k].text, tokens[k + 1].text if k + 1 < len(tokens) else ""
            if text != "template":
                made.append(tokens[k])
                k += 1
            elif after != "<":  # an instantiation, which a call makes just as well
                k = next((j for j in range(k, len(tokens)) if tokens[j].text == ";"), len(tokens)) + 1
            elif tokens[k + 2].text != ">":
                params, head = self.template(tokens[k:])
                opening = self.parameters(head)
                if opening and head[0].text not in _KINDS:
                    inside = head[opening + 1 : close(head, opening, self.code)]
                    general[head[opening - 1].text] = params, arguments(inside)
                made += tokens[k : len(tokens) - len(head)]
                k = len(tokens) - len(head)
            elif tokens[k + 3].text in _KINDS:
                k = self.special_struct(tokens, k + 3, made)
            else:
                k = self.special_function(tokens, k + 3, made, general)
        return made

    def parameters(self, tokens: list[Token]) -> int:
        """Where the parameters open of the function that begins; 0 where none does."""
        k = 0
        while k < len(tokens) and tokens[k].text not in (";", "{", "="):
            if tokens[k].text in _WITH_BRACKETS:
                k = close(tokens, k + 1, self.code)
            elif tokens[k].text == "(":
                return k
            k += 1
        return 0

    def special_struct(self, tokens: list[Token], k: int, made: list[Token]) -> int:
        """Add a struct for some arguments of its template; returns where it ends."""
        name = tokens[k + 1]
        end = angle_end(tokens, k + 2)
        args = [" ".join(t.text for t in part) for part in arguments(tokens[k + 3 : end - 1])]
        own = _own(name.text, args)
        self.special_structs[own] = name.text, args
        last = next((j for j in range(end, len(tokens)) if tokens[j].text in ("{", ";")), len(tokens) - 1)
        last = close(tokens, last, self.code) if tokens[last].text == "{" else last
        inside = [
            t._replace(text=own) if t.text == name.text and behind.text != "<" else t
            for t, behind in zip(tokens[end:last], tokens[end + 1 : last + 1], strict=True)
        ]
        made += [tokens[k], name._replace(text=own), *inside, tokens[last]]
        return last + 1

    def special_function(
        self, tokens: list[Token], k: int, made: list[Token], general: dict[str, tuple[list[str], list[list[Token]]]]
    ) -> int:
        """Add a function for some arguments of its template; returns where its parameters open."""
        opening = k + self.parameters(tokens[k:])
        at = opening - 1
        while at > k and tokens[at].text not in general:
            at -= 1
        name = tokens[at]
        if name.text not in general or tokens[at + 1].text not in ("(", "<"):
            self.code.wrong(f"{tokens[opening - 1].text} is not a template", tokens[opening].line)
        if tokens[at + 1].text == "<":
            args = [" ".join(t.text for t in part) for part in arguments(tokens[at + 2 : opening - 1])]
        else:
            params, takes = general[name.text]
            args = self.matched(params, takes, arguments(tokens[opening + 1 : close(tokens, opening, self.code)]), name)
        own = _own(name.text, args)
        self.special_functions[own] = name.text, args
        made += [*tokens[k:at], name._replace(text=own)]
        return opening

    def matched(
        self, params: list[str], general: list[list[Token]], special: list[list[Token]], name: Token
    ) -> list[str]:
        """The arguments of a template by what a function of it takes."""
        found: dict[str, str] = {}
        for part, said in zip(general, special, strict=False):
            words, given = self.kind(part), self.kind(said)
            for param in {*params} & {*words}:
                at = words.index(param)
                end = len(given) - (len(words) - at - 1)
                if words[:at] == given[:at] and words[at + 1 :] == given[end:]:
                    found.setdefault(param, " ".join(given[at:end]))
        if missing := [param for param in params if param not in found]:
            self.code.refuse(
                f"a specialisation of {name.text} that does not say its {missing[0]}", name.line, f"{name.text}<…>"
            )
        return [found[param] for param in params]

    # Functions that are defined outside

    def gathered(self, tokens: list[Token]) -> list[Token]:
        """Put functions ``float P::f() { … }`` where their structs declare them."""
        names = {b.text for a, b in itertools.pairwise(tokens) if a.text in _KINDS and b.kind == "name"}
        found: dict[str, list[tuple[list[str], Member]]] = {}
        made: list[Token] = []
        begun = k = 0  # where in `made` the declaration begins that is being read
        while k < len(tokens):
            text = tokens[k].text
            after = tokens[k + 1].text if k + 1 < len(tokens) else ""
            behind = k + 1 if after == "::" else angle_end(tokens, k + 1) if after == "<" else 0
            if text in names and behind and tokens[behind].text == "::" and tokens[behind + 2].text == "(":
                end = self.end_of_function(tokens, behind + 2)
                if tokens[end].text == "}":
                    params, head = self.template(made[begun:])
                    member = Member("function", [*head, *tokens[behind + 1 : end + 1]], tokens[behind + 1].text)
                    member.opening = len(head) + 1
                    found.setdefault(text, []).append((params, member))
                    del made[begun:]
                    k = end + 1
                    continue
            if text in ("(", "[") or (text == "{" and self.is_body(made[begun:])):
                last = close(tokens, k, self.code)
                made += tokens[k : last + 1]
                k = last + 1
            else:
                made.append(tokens[k])
                k += 1
            if made[-1].text in (";", "}", "{"):
                begun = len(made)
        return self.placed(made, found) if found else tokens

    @staticmethod
    def is_body(before: list[Token]) -> bool:
        """Whether a brace is a function's or a struct's, and not that of a namespace or of ``extern "C"``."""
        return not before or before[0].text not in ("namespace", "extern") or any(t.text == "(" for t in before)

    def template(self, head: list[Token]) -> tuple[list[str], list[Token]]:
        """The names of a template's parameters, and what comes behind them."""
        if not head or head[0].text != "template":
            return [], head
        end = angle_end(head, 1)
        return [part[-1].text for part in arguments(head[2 : end - 1])], head[end:]

    def end_of_function(self, tokens: list[Token], opening: int) -> int:
        """Where a function ends whose parameters open at `opening`: its last brace, or the semicolon of a declaration."""
        k = close(tokens, opening, self.code) + 1
        while k < len(tokens) and tokens[k].text not in ("{", ";", ":", "=", ","):
            k += 1
        while k < len(tokens) and tokens[k].text in (":", ","):  # the members that a constructor sets
            k += 1
            while tokens[k].text not in ("(", "{"):
                k = angle_end(tokens, k) if tokens[k].text == "<" else k + 1
            k = close(tokens, k, self.code) + 1
        if k < len(tokens) and tokens[k].text == "{":
            return close(tokens, k, self.code)
        while k < len(tokens) and tokens[k].text != ";":
            k += 1
        return min(k, len(tokens) - 1)

    def placed(self, tokens: list[Token], found: dict[str, list[tuple[list[str], Member]]]) -> list[Token]:
        """Structs with the functions that are defined outside of them."""
        made: list[Token] = []
        k = 0
        while k < len(tokens):
            opening = self.opening(tokens, k)
            name = self.named(tokens, k, opening) if opening else ""
            if name not in found:
                made.append(tokens[k])
                k += 1
                continue
            last = close(tokens, opening, self.code)
            own = self.template_before(made)
            members = self.members(tokens[opening + 1 : last])
            for params, function in found.pop(name):
                names = dict(zip(params, own, strict=False))
                function.tokens = [t._replace(text=names.get(t.text, t.text)) for t in function.tokens]
                self.put(name, members, function)
            made += [*tokens[k : opening + 1], *(t for member in members for t in member.tokens)]
            k = last
        return made

    def template_before(self, made: list[Token]) -> list[str]:
        """The parameters of the template that a struct behind these tokens is."""
        if not made or made[-1].text != ">":
            return []
        start = next((k for k in range(len(made) - 1, -1, -1) if made[k].text == "template"), len(made))
        return self.template(made[start:])[0]

    def put(self, owner: str, members: list[Member], function: Member) -> None:
        """Put a function in place of its declaration."""
        inside = self.parts(function)
        wanted = [self.kind(part) for part in arguments(inside.params)]
        for k, member in enumerate(members):
            if member.kind != "function" or member.name != function.name or member.tokens[-1].text != ";":
                continue
            declared = arguments(self.parts(member).params)
            if [self.kind(part) for part in declared] != wanted:
                continue
            given: list[list[Token]] = []
            for part, said in zip(arguments(inside.params), declared, strict=True):
                at = next((j for j, t in enumerate(said) if t.text == "="), len(said))
                given.append([*part, *said[at:]])
            head = member.tokens[: member.opening]
            behind = close(function.tokens, function.opening, self.code)
            params = [t for j, part in enumerate(given) for t in written(part[0].line, "," * bool(j), part)]
            joined = [*head, function.tokens[function.opening], *params, *function.tokens[behind:]]
            members[k] = Member("function", joined, member.name, member.opening)
            return
        line = function.tokens[function.opening].line
        self.code.wrong(
            f'class "{owner}" has no member "{function.name}"',
            line,
            "Declare it in the struct, with the same parameters.",
        )

    @staticmethod
    def kind(part: list[Token]) -> list[str]:
        """A parameter's type: what it is called, and what it is where it is not given, left out."""
        words = [t.text for t in part]
        words = words[: words.index("=")] if "=" in words else words
        at = words.index("[") if "[" in words else len(words)
        named = (
            at > 1
            and words[at - 1].isidentifier()
            and words[at - 2] not in ("const", "::", "unsigned", "signed", "struct")
        )
        return [
            w
            for k, w in enumerate(words)
            if not (named and k == at - 1) and w not in ("__restrict__", "struct", "volatile")
        ]

    # Pieces of structs

    def opening(self, tokens: list[Token], k: int) -> int:
        """Where the body of the struct opens whose definition begins at `k`; 0 where none begins there."""
        if tokens[k].text not in _KINDS or (k and tokens[k - 1].text in ("enum", "<", ",")):
            return 0
        k += 1
        while k < len(tokens) and tokens[k].text in _WITH_BRACKETS:
            k = close(tokens, k + 1, self.code) + 1
        k += k < len(tokens) and tokens[k].kind == "name"
        k += k < len(tokens) and tokens[k].text == "final"
        if k < len(tokens) and tokens[k].text == ":":
            while k < len(tokens) and tokens[k].text not in ("{", ";", ")"):
                k += 1
        return k if k < len(tokens) and tokens[k].text == "{" else 0

    @staticmethod
    def named(tokens: list[Token], k: int, opening: int) -> str:
        """The name of the struct whose definition begins at `k`."""
        head = [t for t in tokens[k + 1 : opening] if t.text != "final"]
        at = next((j for j, t in enumerate(head) if t.text == ":"), len(head))
        return head[at - 1].text if at and head[at - 1].kind == "name" else ""

    def members(self, tokens: list[Token]) -> list[Member]:
        """A struct's body in pieces."""
        made: list[Member] = []
        k = 0
        while k < len(tokens):
            text = tokens[k].text
            if text in _ACCESS and k + 1 < len(tokens) and tokens[k + 1].text == ":":
                made.append(Member("label", tokens[k : k + 2]))
                k += 2
                continue
            if text == ";":
                k += 1
                continue
            end, kind, opening = self.piece(tokens, k)
            name = tokens[opening - 1].text if kind == "function" else ""
            made.append(Member(kind, tokens[k : end + 1], name, opening - k if name else 0))
            k = end + 1
        return made

    def piece(self, tokens: list[Token], start: int) -> tuple[int, str, int]:
        """Where a piece of a body ends, what it is, and where its parameters open."""
        other = tokens[start].text in (
            "template",
            "using",
            "typedef",
            "enum",
            "friend",
            "static_assert",
            *_KINDS,
            "union",
        )
        named = tokens[start].text in _KINDS and not self.opening(tokens, start)  # `struct P p;`
        k = start
        while k < len(tokens):
            text = tokens[k].text
            if text in _WITH_BRACKETS:
                k = close(tokens, k + 1, self.code) + 1
            elif text == "(" and tokens[start].text in ("template", "friend"):
                return self.end_of_function(tokens, k), "other", k
            elif text == "(" and not other and k > start and tokens[k - 1].kind == "name":
                return self.end_of_function(tokens, k), "function", k
            elif text == ";":
                return k, "other" if other and not named else "data", k
            elif text == "=":
                other_ = "other" if other and not named else "data"
                while k < len(tokens) and tokens[k].text != ";":
                    k = close(tokens, k, self.code) + 1 if tokens[k].text in OPEN else k + 1
                return min(k, len(tokens) - 1), other_, k
            elif text in OPEN:
                k = close(tokens, k, self.code) + 1
            else:
                k += 1
        return len(tokens) - 1, "other", k

    def parts(self, member: Member) -> Parts:
        """A function in its parts."""
        tokens, opening = member.tokens, member.opening
        closing = close(tokens, opening, self.code)
        k = closing + 1
        while k < len(tokens) and tokens[k].text not in ("{", ";", ":", "="):
            k += 1
        made = Parts(tokens[: opening - 1], tokens[opening + 1 : closing], tokens[closing + 1 : k])
        while k < len(tokens) and tokens[k].text in (":", ","):
            first = k + 1
            k = first
            while tokens[k].text not in ("(", "{"):
                k = angle_end(tokens, k) if tokens[k].text == "<" else k + 1
            end = close(tokens, k, self.code)
            made.inits.append((tokens[first], tokens[k + 1 : end]))
            k = end + 1
        if k < len(tokens) and tokens[k].text == "{":
            made.body = tokens[k + 1 : close(tokens, k, self.code)]
        return made

    # What a struct inherits, and first values

    def structs(self, tokens: list[Token]) -> list[Token]:
        """A source whose structs inherit nothing and whose members have no first values."""
        made: list[Token] = []
        k = 0
        open_: list[bool] = []  # of each open brace whether a function's, and not a namespace's
        while k < len(tokens):
            opening = self.opening(tokens, k)
            if not opening:
                if tokens[k].text == "{":
                    open_.append(k > 0 and tokens[k - 1].kind == "mark")
                elif tokens[k].text == "}" and open_:
                    open_.pop()
                made.append(tokens[k])
                k += 1
                continue
            last = close(tokens, opening, self.code)
            name = self.named(tokens, k, opening)
            params = self.template_before(made)
            head = tokens[k:opening]
            colon = next((j for j, t in enumerate(head) if t.text == ":"), len(head))
            private = tokens[k].text == "class"
            members = self.members(tokens[opening + 1 : last])
            self.pass_on(name, members)
            changed = self.with_values(name, members)
            if colon < len(head):
                changed = self.derived(name, members, private, head[colon + 1 :])
            if any(open_) and any(member.kind == "function" for member in members):
                self.code.refuse(
                    "a struct with functions, or with first values, in a function",
                    tokens[k].line,
                    "the struct outside of it",
                )
            self.bases[name] = Base(members, private, params)
            inside = [t for m in members for t in m.tokens] if changed else tokens[opening + 1 : last]
            made += [*(t for t in head[:colon] if t.text != "final"), tokens[opening], *inside, tokens[last]]
            k = last + 1
        return made

    def with_values(self, name: str, members: list[Member]) -> bool:
        """Move the first values of members into the constructors; returns whether there were any."""
        order: list[str] = []
        values: dict[str, list[Token]] = {}
        arrays: list[Token] = []
        for member in members:
            words = {t.text for t in member.tokens}
            if member.kind != "data" or "static" in words:
                continue
            kept: list[Token] = []
            for part in arguments(member.tokens[:-1]):
                at = next((j for j, t in enumerate(part) if t.text in ("=", "{")), len(part))
                declared, value = part[:at], part[at + 1 :]
                size = next((j for j, t in enumerate(declared) if t.text in ("[", ":")), len(declared))
                own = declared[size - 1]
                order.append(own.text)
                if at < len(part) and size == len(declared):
                    alone = part[at].text == "=" and not (value and value[0].text == "{")
                    inside = value if alone else value[:-1] if part[at].text == "{" else value[1:-1]
                    values[own.text] = inside or written(own.line, "0")
                elif at < len(part):
                    arrays += self.filled(own, declared[size:], part[at:])
                kept += written(own.line, "," * bool(kept), declared)
            member.tokens = [*kept, member.tokens[-1]]
        if not values and not arrays:
            return False
        makers = [m for m in members if m.kind == "function" and m.name == name]
        makers = [m for m in makers if "~" not in (t.text for t in m.tokens[: m.opening])]
        line = members[0].tokens[0].line
        if not makers:
            self.aggregates.add(name)
            makers = [Member("function", written(line, f"{name}(){{}}"), name, 1)]
            members += [_label("public", line), *makers]
        for member in makers:
            inside = self.parts(member)
            if member.tokens[-1].text == ";" and "delete" in (t.text for t in member.tokens):
                continue
            if any(own.text == name for own, _ in inside.inits):
                continue  # another constructor does it
            given = {own.text: (own, value) for own, value in inside.inits}
            given = {n: (Token(n, v[0].line, "name"), v) for n, v in values.items()} | given
            ordered = [n for n in order if n in given] + [n for n in given if n not in order]
            inside.inits = [given[n] for n in ordered]
            inside.body = [*arrays, *inside.body]
            member.tokens = self.whole(member, inside)
        return True

    def filled(self, own: Token, size: list[Token], value: list[Token]) -> list[Token]:
        """Statements that give an array its first values."""
        if [t.text for t in size].count("[") != 1:
            self.code.refuse("first values of an array of several dimensions in a struct", own.line, "a constructor")
        inside = value[value[0].text == "=" :]
        if inside[0].text != "{":
            self.code.refuse("this first value of an array in a struct", own.line, "a constructor")
        made: list[Token] = []
        given = arguments(inside[1:-1])
        extent = size[1:-1]
        if not (len(extent) == 1 and extent[0].text.isdigit() and int(extent[0].text) == len(given)):
            head = written(own.line, "for (int _hf_k = 0; _hf_k < (", extent, "); ++_hf_k)")
            made += written(own.line, head, f"{own.text}[_hf_k] = 0;")
        for k, one in enumerate(given):
            made += written(own.line, f"{own.text}[{k}] = (", one, ");")
        return made

    def derived(self, name: str, members: list[Member], private: bool, said: list[Token]) -> bool:
        """Give a struct what its bases have."""
        line = said[0].line
        own = {m.name for m in members if m.kind == "function"}
        inherited: list[Member] = []
        made_by: list[tuple[str, bool]] = []  # the bases, and whether they have constructors
        for part in arguments(said):
            words = [t for t in part if t.text not in (*_ACCESS, "virtual")]
            base = words[0].text
            if base not in self.bases:
                self.code.wrong("not a class or struct name", line)
            found = self.bases[base]
            args = arguments(words[2:-1]) if len(words) > 1 else []
            given = dict(zip(found.params, args, strict=False))
            hidden = {m.name for m in found.members if m.kind == "function"} & own
            inherited.append(_label("private" if found.private else "public", line))
            makes = False
            for member in found.members:
                before = _substituted(member.tokens[: member.opening], given)
                tokens = [*before, *_substituted(member.tokens[member.opening :], given)]
                copy = Member(member.kind, tokens, member.name, len(before))
                if member.kind == "function" and member.name == base:
                    makes = True
                    copy = self.as_function(copy, base)
                    if copy is None:
                        continue
                elif member.name in hidden:
                    copy.tokens = [*copy.tokens]
                    copy.tokens[copy.opening - 1] = Token(f"{BASE}{base}_{member.name}", line, "name")
                    copy.name = copy.tokens[copy.opening - 1].text
                if copy.kind == "function":
                    copy.tokens = [
                        *copy.tokens[: copy.opening],
                        *_renamed(copy.tokens[copy.opening :], hidden, f"{BASE}{base}_"),
                    ]
                inherited.append(copy)
            made_by.append((base, makes))
            members[:] = [m for m in members if m.tokens[0].text != "using" or "=" in (t.text for t in m.tokens)]
            self.inherited.setdefault(name, []).append(base)
        known = {m.name for m in inherited}
        for member in members:
            member.tokens = _unqualified(member.tokens, self.above(name), known)
        self.made_with_bases(name, members, made_by, line)
        members[:] = [*inherited, _label("private" if private else "public", line), *members]
        return True

    def above(self, name: str) -> set[str]:
        """All that a struct inherits from."""
        direct = self.inherited.get(name, [])
        return {*direct, *(each for base in direct for each in self.above(base))}

    def pass_on(self, name: str, members: list[Member]) -> None:
        """Write the constructors that ``using A::A;`` takes from a base: they hand on what they are given."""
        taken = [
            m.tokens[1].text
            for m in members
            if [t.text for t in m.tokens[:3:2]] == ["using", "::"] and m.tokens[1].text == m.tokens[3].text
        ]
        own = any(m.kind == "function" and m.name == name for m in members)
        for base in taken:
            for maker in self.bases[base].members if base in self.bases else ():
                if maker.kind != "function" or maker.name != base:
                    continue
                params = self.parts(maker).params
                line = maker.tokens[0].line
                names: list[Token] = []
                for part in arguments(params):
                    at = next((j for j, t in enumerate(part) if t.text in ("=", "[")), len(part))
                    names += written(line, "," * bool(names), part[at - 1 : at])
                if not names and own:
                    continue
                head = maker.tokens[: maker.opening - 1]
                tokens = written(line, head, f"{name}(", params, f"): {base}(", names, "){}")
                members += [_label("public", line), Member("function", tokens, name, maker.opening)]

    def as_function(self, member: Member, base: str) -> Member | None:
        """A constructor of a base as a function; None for one that does nothing of its own."""
        inside = self.parts(member)
        if member.tokens[-1].text == ";":
            return None
        line = member.tokens[0].line
        sets = [t for own, value in inside.inits for t in _assigned(own, value)]
        head = [t for t in inside.head if t.text not in ("explicit", "constexpr")]
        tokens = written(line, head, f"void {BASE}{base}(", inside.params, ") {", sets, inside.body, "}")
        return Member("function", tokens, BASE + base, len(head) + 2)

    def made_with_bases(self, name: str, members: list[Member], bases: list[tuple[str, bool]], line: int) -> None:
        """Let the constructors of a struct call those of its bases."""
        makers = [m for m in members if m.kind == "function" and m.name == name and m.tokens[-1].text != ";"]
        if not makers and any(makes for _, makes in bases):
            makers = [Member("function", written(line, f"{name}(){{}}"), name, 1)]
            members += [_label("public", line), *makers]
            members[:] = [
                m for m in members if not (m.kind == "function" and m.name == name and m.tokens[-1].text == ";")
            ]
        for member in makers:
            inside = self.parts(member)
            first: list[Token] = []
            for base, makes in bases:
                given = next((value for own, value in inside.inits if own.text == base), None)
                if makes:
                    first += written(line, f"{BASE}{base}(", given or [], ");")
                elif given:
                    self.code.refuse(
                        f"a value for the base {base}, which has no constructor", line, "a constructor of it"
                    )
            sets = [t for own, value in inside.inits if own.text not in dict(bases) for t in _assigned(own, value)]
            inside.inits, inside.body = [], [*first, *sets, *inside.body]
            member.tokens = self.whole(member, inside)

    @staticmethod
    def whole(member: Member, inside: Parts) -> list[Token]:
        """A function's tokens of its parts."""
        line = member.tokens[member.opening].line
        inits: list[Token] = []
        for own, value in inside.inits:
            inits += written(own.line, "," if inits else ":", f"{own.text}(", value, ")")
        head = member.tokens[: member.opening]
        return written(line, head, "(", inside.params, ")", inside.words, inits, "{", inside.body, "}")


def _own(name: str, args: list[str]) -> str:
    """The name of what a template is for some arguments."""
    return "__".join([name, "special", *("".join(c if c.isalnum() else "_" for c in arg) for arg in args)])


def _label(access: str, line: int) -> Member:
    return Member("label", written(line, f"{access}:"))


def _assigned(own: Token, value: list[Token]) -> list[Token]:
    """What sets a member in a constructor's body."""
    return written(own.line, f"{own.text} = (", value or "0", ");")


def _substituted(tokens: list[Token], given: dict[str, list[Token]]) -> list[Token]:
    """Tokens with a template's arguments in place of its parameters."""
    return [each for t in tokens for each in (given.get(t.text, [t]) if t.kind == "name" else [t])]


def _renamed(tokens: list[Token], names: set[str], before: str) -> list[Token]:
    """Calls of a struct's own functions under the names that they have where they are inherited."""
    made: list[Token] = []
    for k, token in enumerate(tokens):
        called = token.text in names and k + 1 < len(tokens) and tokens[k + 1].text == "("
        made.append(
            token._replace(text=before + token.text) if called and (not k or tokens[k - 1].text != ".") else token
        )
    return made


def _unqualified(tokens: list[Token], bases: set[str], known: set[str]) -> list[Token]:
    """Tokens in which ``A::f`` of a base is the name that it has in the struct that inherits it."""
    made: list[Token] = []
    k = 0
    while k < len(tokens):
        if tokens[k].text in bases and k + 2 < len(tokens) and tokens[k + 1].text == "::":
            name = tokens[k + 2]
            hidden = f"{BASE}{tokens[k].text}_{name.text}"
            made.append(name._replace(text=hidden) if hidden in known else name)
            k += 3
        else:
            made.append(tokens[k])
            k += 1
    return made
