"""The generated pages of the documentation are up to date."""

import os
import subprocess
import sys


def test_the_pages_are_what_the_simulated_libraries_and_the_lists_say():
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GPUSIM_GPU")}
    command = [sys.executable, "-m", "hundredfold.publish.pages", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=clean)
    assert done.returncode == 0, done.stderr


def test_code_keeps_its_indentation_and_paths_their_underscores(tmp_path):
    from markdown_it import MarkdownIt

    from hundredfold.publish.pages import differs

    case = """\
- id: one
  topic: a.module
  code: |
    with x:
        y | z
  gpu: "1"
  host: "2"
  source: "cupy/__init__.py:3"
"""
    for library in differs.LIBRARIES:
        (tmp_path / f"{library}.yaml").write_text(case)
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(differs.page(tmp_path, tmp_path))
    assert "<code>with x:</code><br><code>\xa0\xa0\xa0\xa0y | z</code>" in html
    assert "<code>cupy/__init__.py:3</code>" in html and "<h3><code>a.module</code></h3>" in html
