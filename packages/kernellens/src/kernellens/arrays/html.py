"""An account as a table for a notebook, legible in JupyterLab's light and dark themes and outside of it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from kernellens.plot import quantities

from . import sentences
from .rows import Row, rows
from .text import size

if TYPE_CHECKING:
    from .account import Account

# JupyterLab's colours where it shows this, the browser's preference elsewhere.  The bars carry no information of their own:
# each stands beside the number that it shows.
STYLE = """
.hf-account{--hf-ink:var(--jp-ui-font-color1,#1a1a1a);--hf-soft:var(--jp-ui-font-color2,#565656);
 --hf-line:var(--jp-border-color2,#c4c4c4);--hf-back:var(--jp-layout-color2,#f1f1f1);--hf-bar:#0072b2;color:var(--hf-ink);
 font-family:var(--jp-ui-font-family,system-ui,sans-serif);font-size:13px;line-height:1.45}
.hf-account dl,.hf-account p{max-width:62em}
@media (prefers-color-scheme:dark){.hf-account{--hf-ink:var(--jp-ui-font-color1,#e8e8e8);
 --hf-soft:var(--jp-ui-font-color2,#b5b5b5);--hf-line:var(--jp-border-color2,#555);--hf-back:var(--jp-layout-color2,#2a2a2a)}}
[data-jp-theme-light="false"] .hf-account{--hf-bar:#56b4e9}
@media (prefers-color-scheme:dark){.hf-account{--hf-bar:#56b4e9}}
[data-jp-theme-light="true"] .hf-account{--hf-bar:#0072b2}
.hf-account .hf-scroll{overflow-x:auto}
.hf-account table{border-collapse:collapse;margin:.4em 0;color:inherit;font-size:inherit;table-layout:auto}
.hf-account caption{text-align:left;font-weight:600;padding:.2em 0 .4em;color:var(--hf-ink);caption-side:top}
.hf-account th,.hf-account td{padding:.15em .7em .15em 0;border:0;border-bottom:1px solid var(--hf-line);background:none;
 text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap;color:inherit;vertical-align:baseline}
.hf-account th{font-weight:600}.hf-account .hf-left{text-align:left}
.hf-account tbody th{font-weight:400}
.hf-account code,.hf-account pre{font-family:var(--jp-code-font-family,ui-monospace,monospace);font-size:12px;color:inherit;
 background:none}
.hf-account td code{color:var(--hf-soft)}
.hf-account pre{background:var(--hf-back);padding:.5em .7em;margin:.3em 0 .5em;overflow-x:auto;border-radius:3px}
.hf-account dl{display:grid;grid-template-columns:max-content 1fr;gap:.2em 1em;margin:.5em 0}
.hf-account dt{font-weight:600;margin:0;width:auto}.hf-account dd{margin:0}
.hf-account p{margin:.3em 0}.hf-account .hf-note{color:var(--hf-soft)}
.hf-account .hf-bar{display:inline-block;height:.65em;background:var(--hf-bar);border-radius:1px;min-width:1px}
.hf-account .hf-wide td.hf-left{white-space:normal}
.hf-account td.hf-bars{text-align:left;width:9em}
"""
HEADINGS = (
    ("no.", False),
    ("line", True),
    ("launch", True),
    ("reads", False),
    ("writes", False),
    ("bound", False),
    ("estimate", False),
)


def html(account: Account) -> str:
    """The account as HTML: a captioned table, a list of totals and times, and what fusing would save."""
    body = [f"<style>{STYLE}</style>", '<div class="hf-account">', _table(account), "<dl>"]
    body += [f"<dt>{escape(heading)}</dt><dd>{escape(said)}</dd>" for heading, said in sentences.parts(account)]
    for said, code in sentences.fusing(account):
        body.append(f"<dt>Fusing</dt><dd>{escape(said)}{f'<pre>{escape(code)}</pre>' if code else ''}</dd>")
    body.append("</dl>")
    assumed = sentences.left(account)
    body += [f'<p class="hf-note">{escape(note)}</p>' for note in (*([assumed] if assumed else ()), *account.notes)]
    body.append("</div>")
    return "\n".join(body)


def _table(account: Account) -> str:
    shown, left = rows(account)
    caption = escape(sentences.head(account))
    if not shown:
        return f"<p><strong>{caption}</strong></p>"
    heads = "".join(f'<th scope="col"{_left(left_side)}>{name}</th>' for name, left_side in HEADINGS)
    heads += '<th scope="col" class="hf-left">bytes</th><th scope="col" class="hf-left">source</th>'
    most = max(row.read + row.written for row in shown) or 1
    lines, last = [], None
    for row in shown:
        lines.append(_row(row, account.source.get(row.line or 0, "") if row.line != last else "", most))
        last = row.line
    more = (
        f'<tr><td colspan="9" class="hf-left">… and {sentences.many(left, "launch", "launches")} that move less</td></tr>'
        if left
        else ""
    )
    return (
        f'<div class="hf-scroll" tabindex="0" role="region" aria-label="Launches and copies"><table><caption>{caption}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(lines)}{more}</tbody></table></div>"
    )


def _left(yes: bool) -> str:
    return ' class="hf-left"' if yes else ""


def _row(row: Row, source: str, most: int) -> str:
    share = (row.read + row.written) / most
    times = f" × {quantities.count(row.times)}" if row.times > 1 else ""
    bar = f'<span class="hf-bar" aria-hidden="true" style="width:{9 * share:.2f}em"></span>' if share else ""
    return (
        f'<tr><td>{row.first}</td><td class="hf-left">{"" if row.line is None else row.line}</td>'
        f'<th scope="row" class="hf-left">{escape(row.name)}{times}</th>'
        f"<td>{size(row.read)}</td><td>{size(row.written)}</td>"
        f"<td>{quantities.seconds(row.least)}</td><td>{quantities.seconds(row.about, 2)}</td>"
        f'<td class="hf-bars">{bar}</td><td class="hf-left">{f"<code>{escape(source)}</code>" if source else ""}</td></tr>'
    )
