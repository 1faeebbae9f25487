#!/opt/hundredfold/bin/python
"""Run the course's notebooks as tests in this image: does it say here what it said where it was written?

    hundredfold-nbval                     # all of notebooks, exercises and solutions
    hundredfold-nbval 01 05               # these units
    hundredfold-nbval notebooks/01        # a unit's lecture
    hundredfold-nbval ~/hundredfold/mine.ipynb -- -x     # your own; what follows -- goes to pytest

They run in copies in a temporary folder: nothing of yours changes. The exit status is pytest's.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FILES = Path(sys.prefix) / "share" / "hundredfold" / "nbval"
FOLDERS = ("notebooks", "exercises", "solutions")


def chosen(words, course):
    """The notebooks that the words name, as (path below the temporary folder, file); all of the course's without words.

    Raises SystemExit with a sentence where a word names none.
    """
    every = [(f"{name}/{file.name}", file) for name in FOLDERS for file in sorted(course(name).glob("*.ipynb"))]
    if not words:
        return every
    found = []
    for word in words:
        mine = [(at, file) for at, file in every if at.startswith(word) or Path(at).name.startswith(word)]
        if not mine and Path(word).is_file():
            mine = [(f"own/{Path(word).name}", Path(word).resolve())]
        if not mine:
            sys.exit(f"hundredfold-nbval: no notebook is called {word}: name a unit (01), or a file.")
        found += [each for each in mine if each not in found]
    return found


def main():
    words, more = split(sys.argv[1:])
    if words and words[0] in ("-h", "--help"):
        print(__doc__)
        return 0
    from hundredfold.paths import data_dir

    asked = chosen(words, data_dir)
    with tempfile.TemporaryDirectory(prefix="hundredfold-nbval-") as folder:
        root = Path(folder)
        shutil.copy(FILES / "conftest.py", root)
        (root / "pytest.ini").write_text("[pytest]\n")
        for at, file in asked:
            (root / at).parent.mkdir(exist_ok=True)
            shutil.copy(file, root / at)
        told = [
            "-p",
            "no:cacheprovider",
            "--import-mode=importlib",
            "--nbval",
            "--nbval-current-env",
            "--nbval-cell-timeout=300",
        ]
        told += [f"--nbval-sanitize-with={FILES / 'sanitize.cfg'}", *more, *[at for at, _ in asked]]
        environment = {"GPUSIM_CACHE": str(root / "cache"), **os.environ}
        return subprocess.call([sys.executable, "-m", "pytest", *told], cwd=root, env=environment)


def split(words):
    """What stands before and after `--`."""
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at + 1 :]


if __name__ == "__main__":
    sys.exit(main())
