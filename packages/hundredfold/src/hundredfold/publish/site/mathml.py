"""Formulas as MathML, which every browser draws by itself: no script and no fonts to load. An extension of Sphinx.

The translation is the package latex2mathml's.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml import converter
from sphinx.application import Sphinx


def _inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(converter.convert(node.astext(), display="inline"))
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.math_block) -> None:
    formula = converter.convert(node.astext(), display="block")
    translator.body.append(f'<div class="math-block" tabindex="0" role="region" aria-label="Formula">{formula}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer `mathml`."""
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
