"""Sphinx's settings for the site. `hundredfold.publish.site` puts the sources together and calls Sphinx; nothing is executed here.

The site asks nobody but its own server: no fonts, scripts or pictures from elsewhere. Formulas become MathML when it is built.
"""

import os

import hundredfold
from hundredfold.publish import REUSE

project = "Hundredfold"
author = "the Hundredfold developers"
copyright = f"the Hundredfold developers. {REUSE}".removesuffix(".")  # the theme ends the sentence
release = version = hundredfold.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "hundredfold.publish.site.live",
    "hundredfold.publish.site.mathml",
    "hundredfold.publish.site.numbers",
    "hundredfold.publish.site.tooltips",
]
root_doc = "index"

# Translations: docs/contributing/translating.md.
language = os.environ.get("HUNDREDFOLD_LANGUAGE") or "en"
locale_dirs = ["locale"]
gettext_compact = False
gettext_location = False
exclude_patterns = ["_build"]
suppress_warnings = ["mystnb.unknown_mime_type"]  # what only a live lab can show; the picture beside it is shown

# The notebooks come with their outputs, which the tests have checked: they are not run a second time.
nb_execution_mode = "off"
nb_merge_streams = True
nb_output_stderr = "remove"
nb_mime_priority_overrides = [("html", "image/png", 0), ("html", "text/plain", 30), ("html", "text/html", 20)]
nb_ipywidgets_js = {}
nb_render_markdown_format = "myst"
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist", "attrs_inline", "attrs_block"]
myst_heading_anchors = 4
html_math_renderer = "mathml"

autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False

html_theme = "pydata_sphinx_theme"
html_title = "Hundredfold"
default_role = "code"  # `x` in a docstring, as in Markdown
html_logo = html_favicon = "_static/favicon.svg"
html_context = {"default_mode": "auto"}  # as the reader's system has it
html_static_path = ["_static"]
html_css_files = ["hundredfold.css"]
html_js_files = [("scrolls.js", {"defer": "defer"})]
html_copy_source = False
html_show_sourcelink = False
# Pages without a list of pages beside them: it would be an empty column.
ALONE = ("index", "browser", "results", "cheatsheet", "glossary", "beyond", "changelog", "colab", "how-we-know")
html_sidebars = {page: [] for page in (*ALONE, "testing-without-a-gpu")}
html_theme_options = {
    "logo": {"text": "Hundredfold", "alt_text": "Home"},
    "navigation_with_keys": False,
    "show_prev_next": True,
    "header_links_before_dropdown": 6,
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": [], "results": [], "browser": []},
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "show_toc_level": 2,
}
if address := os.environ.get(
    "HUNDREDFOLD_VERSIONS"
):  # `make release` sets it: the list of versions, from a version's first page
    html_theme_options["switcher"] = {"json_url": address, "version_match": release}
    html_theme_options["check_switcher"] = False  # it is not there when the pages are built
    html_theme_options["navbar_end"] = ["version-switcher", "theme-switcher"]
copybutton_prompt_text = r">>> |\$ "
copybutton_prompt_is_regexp = True
