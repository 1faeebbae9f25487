"""The site as a reader has it: built from the checkout, served on this machine, open in Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

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
