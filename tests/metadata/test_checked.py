"""Licences and the citation, as the tools for them read them; each tool refuses a copy with a fault."""

import shutil

from .conftest import ROOT


def test_each_file_has_its_licence(program):
    done = program("reuse", "lint", "--lines")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_licence_without_its_text_is_refused(program, tmp_path):
    shutil.copy(ROOT / "REUSE.toml", tmp_path)
    (tmp_path / "page.md").write_text("A page.\n")
    done = program("reuse", "--root", tmp_path, "lint", "--lines")
    assert done.returncode == 1 and "missing license 'CC-BY-4.0'" in done.stdout


def test_the_citation_is_valid(program, tmp_path):
    done = program("cffconvert", "--validate", "-i", ROOT / "CITATION.cff")
    assert done.returncode == 0, done.stdout + done.stderr
    (tmp_path / "CITATION.cff").write_text((ROOT / "CITATION.cff").read_text().replace("title:", "titel:"))
    assert program("cffconvert", "--validate", "-i", tmp_path / "CITATION.cff").returncode
