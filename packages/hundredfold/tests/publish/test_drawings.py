"""The concept drawings: shown, told in words, valid, readable on a phone and in both schemes, and the same bytes each time; some can be touched."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from hundredfold.publish import drawings
from hundredfold.publish.build import drawn
from hundredfold.publish.build.errors import BuildError
from hundredfold.publish.drawings import canvas
from hundredfold.publish.drawings.registry import drawing
from hundredfold.publish.site import live
from kernellens.plot import palette

ROOT = Path(__file__).parents[4]
NAMES = drawings.names()
PHONE = 375
SVG = "{http://www.w3.org/2000/svg}"


def root(name: str) -> ET.Element:
    return ET.fromstring(drawings.find(name).svg())


def test_there_are_enough_and_each_is_shown_by_a_source():
    assert len(NAMES) >= 10
    assert sorted(file.stem for file in drawn.wanted(ROOT)) == NAMES


def test_the_committed_files_are_what_the_code_draws():
    assert not drawn.differences(ROOT), "run `make build`"


@pytest.mark.parametrize("name", NAMES)
def test_a_drawing_is_told_in_a_sentence(name):
    alt = drawings.find(name).alt
    assert len(alt.split()) >= 8 and alt[0].isupper() and alt.endswith(".")
    assert not set("[]()\n") & set(alt), "it stands between brackets in Markdown"
    assert root(name).find(f"{SVG}title").text == alt


@pytest.mark.parametrize("name", NAMES)
def test_letters_are_large_enough_on_a_phone(name):
    style = root(name).find(f"{SVG}style").text
    sizes = [float(size) for size in re.findall(r"font-size:([\d.]+)px", style)]
    wide = float(root(name).get("viewBox").split()[2])
    assert sizes and min(sizes) * PHONE / wide >= 11


@pytest.mark.parametrize("name", NAMES)
def test_only_colours_of_the_palette_are_used(name):
    known = {*palette.SERIES, palette.INK, palette.MUTED, palette.FAINT, palette.PAPER, *palette.DARK.values()}
    found = set(re.findall(r"#[0-9A-Fa-f]{3,8}\b", drawings.find(name).svg()))
    assert found and {colour.upper() for colour in found} <= {colour.upper() for colour in known}
    for element in root(name).iter():
        assert element.get("fill", "none") == "none" and not {"stroke", "style", "opacity"} & set(element.keys())


def looks(style: str) -> dict[str, dict[str, dict[str, str]]]:
    """For both schemes what each class says."""
    light, _, dark = style.partition("@media (prefers-color-scheme:dark){")
    found = {}
    for scheme, text in (("light", light), ("dark", light + dark.removesuffix("}"))):
        said = found[scheme] = {}
        for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", text):
            pairs = dict(pair.split(":", 1) for pair in body.split(";") if pair)
            for selector in selectors.split(","):
                said.setdefault(selector.strip().lstrip("."), {}).update(pairs)
    return found


def contrasts(name: str) -> list[tuple[float, str, str]]:
    """For each text in each scheme its contrast with what lies below it."""
    drawing, found = root(name), []
    for scheme, said in looks(drawing.find(f"{SVG}style").text).items():
        below = []
        for element in drawing.iter():
            if element.tag == f"{SVG}rect":
                x, y, w, h = (float(element.get(key, 0)) for key in ("x", "y", "width", "height"))
                look = {k: v for each in element.get("class").split() for k, v in said[each].items()}
                below.append((x, y, w, h, rgb(look["fill"]), float(look.get("fill-opacity", 1))))
            elif element.tag == f"{SVG}text":
                x, y = float(element.get("x")), float(element.get("y")) - 5
                shift = 4 if "middle" not in element.get("class") else 0
                x += -shift if "end" in element.get("class") else shift
                ground = (255.0, 255.0, 255.0)
                for left, top, w, h, colour, much in below:
                    if left <= x <= left + w and top <= y <= top + h:
                        ground = tuple(a * (1 - much) + b * much for a, b in zip(ground, colour, strict=True))
                ink = rgb(said[element.get("class").split()[0]]["fill"])
                found.append((contrast(ink, ground), scheme, element.text))
    return found


def rgb(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[k : k + 2], 16) for k in (1, 3, 5))


def contrast(one, other) -> float:
    def light(colour):
        linear = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_rule_for_contrast_is_the_usual_one():
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)


@pytest.mark.parametrize("name", NAMES)
def test_every_text_can_be_read_in_both_schemes(name):
    found = contrasts(name)
    assert {scheme for _, scheme, _ in found} == {"light", "dark"}
    assert not [(round(value, 1), scheme, text) for value, scheme, text in found if value < 4.5]


def test_what_can_be_touched_says_so_and_is_still_as_a_picture():
    touched = {name: drawings.find(name).touch for name in NAMES if drawings.find(name).touch}
    assert len(touched) >= 3
    for name in NAMES:
        spots = root(name).findall(f"{SVG}g[@class='spot']")
        assert bool(spots) == (name in touched) and len(spots) <= 16, "each is a stop of the Tab key"
        assert root(name).get("role") == ("group" if spots else "img")
        for spot in spots:
            *hits, told = spot
            assert hits and {hit.get("class") for hit in hits} == {"hit"} and told.get("class") == "told" and len(told)
            assert spot.get("tabindex") == "0" and spot.get("aria-label").endswith(".")
    script = ROOT / "packages/hundredfold/src/hundredfold/etc/labextension/static/dashboard.js"
    listed = re.search(r"const TOUCH = (\{.*?\});", script.read_text(encoding="utf-8"), re.DOTALL)[1]
    assert json.loads(re.sub(r",\s*\}", "}", listed)) == touched


def test_a_page_embeds_what_can_be_touched():
    still = '<img alt="Guards." src="../_images/guard.svg" />'
    assert live.embedded(still) == still
    found = live.embedded('<p><img alt="Threads &amp; pixels." src="../_images/x-is-column.svg" /></p>')
    object_, said = ET.fromstring(found)
    assert object_.get("data") == "../_images/x-is-column.svg" and object_.get("aria-label") == "Threads & pixels."
    assert object_.find("img").get("src") == "../_images/x-is-column.svg"
    assert said.text == drawings.find("x-is-column").touch


def test_two_processes_draw_the_same_bytes():
    code = "from hundredfold.publish import drawings as d; print(*(d.find(n).svg() for n in d.names()), sep='', end='')"
    said = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, env={"PYTHONHASHSEED": seed}, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert said == {"".join(drawings.find(name).svg() for name in NAMES).encode()}


def test_a_text_that_does_not_fit_is_refused():
    c = canvas.Canvas(100)
    with pytest.raises(ValueError, match="does not fit"):
        c.box(10, 10, 60, 30, "memory", "far too long for it")
    with pytest.raises(ValueError, match="does not fit"):
        c.text(450, 30, "beyond the edge")


def test_a_name_is_taken_once():
    drawings.names()  # all are known now
    with pytest.raises(ValueError, match="'guard' already, in hundredfold.publish.drawings.kernels"):
        drawing("guard", "Another drawing of the same name.", 80)(lambda c: None)


def test_the_build_writes_what_is_shown_and_removes_what_is_not(tmp_path):
    source = tmp_path / "sources" / "lectures" / "01_arrays.py"
    source.parent.mkdir(parents=True)
    line = drawings.find("guard").markdown()
    source.write_text(
        f"# %% [markdown]\n# {line[:60].rpartition(' ')[0]}\n# {line[len(line[:60].rpartition(' ')[0]) + 1 :]}\n"
    )
    page = tmp_path / "docs" / "contributing" / "a.md"
    page.parent.mkdir(parents=True)
    page.write_text(drawings.find("sectors").markdown("../images/drawings"))
    assert drawn.write(tmp_path) == [tmp_path / drawn.FOLDER / "guard.svg", tmp_path / drawn.FOR_DOCS / "sectors.svg"]
    assert not drawn.write(tmp_path) and not drawn.differences(tmp_path)
    (tmp_path / drawn.FOLDER / "guard.svg").write_text("other")
    (tmp_path / drawn.FOLDER / "stray.svg").write_text("")
    assert len(drawn.differences(tmp_path)) == 2
    assert len(drawn.write(tmp_path)) == 2 and not drawn.differences(tmp_path)
    source.write_text("# %% [markdown]\n# ![Other words.](drawings/guard.svg)\n")
    with pytest.raises(BuildError, match="are not those of its code"):
        drawn.write(tmp_path)
    source.write_text("# %% [markdown]\n# ![Words.](drawings/nothing.svg)\n")
    with pytest.raises(BuildError, match="no drawing 'nothing'"):
        drawn.write(tmp_path)
