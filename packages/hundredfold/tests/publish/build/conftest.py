"""A small checkout of its own for every test, and sources to put in it."""

import contextlib
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner, Result

ROOT = Path(__file__).parents[5]

HEADER = """\
# ---
# jupyter:
#   hundredfold:
#     unit: 1
#     slug: arrays
#     title: Arrays
#     teaching: 30
#     exercises: 25
# ---

"""

LECTURE = (
    HEADER
    + """\
# %% [markdown]
# # Arrays
#
# Some prose.

# %%
x = 20

# %%
print("the answer is", 2 * x + 2)

# %% [markdown]
# More prose.

# %%
# %who_ls

# %% tags=["raises-exception"]
1 / (x - 20)

# %%
x + 1
"""
)

EXERCISE = (
    HEADER
    + """\
# %% [markdown]
# # Arrays: exercises

# %%
def check(name, *answer):
    print(name, "right" if answer and answer[0] else "not attempted")

# %% [markdown]
# ## 1. Double

# %%
def double(x):
    \"\"\"Twice x.\"\"\"
    ### BEGIN SOLUTION
    # by addition
    y = x + x
    return y
    ### END SOLUTION

# %% points=2
check("arrays.double", double(1))

# %% [markdown] tags=["solution-only"]
# Addition is enough.

# %%
answer = ...
### BEGIN SOLUTION
answer = 42
### END SOLUTION

# %%
def repaired(x):
    ### BEGIN SOLUTION
    return x + 1
    ### END SOLUTION
    ### BEGIN STARTER
    # if x:
    #     return x - 1
    ### END STARTER

# %%
for i in range(3):
    ### BEGIN SOLUTION
    print(i)
    ### END SOLUTION

# %%
check("arrays.repair", repaired(0) == 1)
"""
)


class Checkout:
    """A folder with sources and what is built from them."""

    def __init__(self, root: Path):
        self.root = root
        (root / "tests").mkdir(parents=True, exist_ok=True)
        (root / "pyproject.toml").touch()
        shutil.copy(ROOT / "tests" / "sanitize.cfg", root / "tests")

    def write(self, kind: str, text: str, name: str = "01_arrays.py") -> Path:
        path = self.root / "sources" / kind / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def edit(self, kind: str, old: str, new: str, name: str = "01_arrays.py") -> None:
        path = self.root / "sources" / kind / name
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1
        path.write_text(text.replace(old, new), encoding="utf-8")

    def build(self, *args: str) -> Result:
        """`hundredfold build` in this checkout, in this process: a new one takes seconds to import jupytext."""
        from hundredfold.publish.build import command

        with contextlib.chdir(self.root):
            return CliRunner().invoke(command, args, prog_name="hundredfold build")

    def start(self, *args: str, **options) -> subprocess.Popen:
        """`hundredfold build` in this checkout, as its user starts it."""
        return subprocess.Popen(
            [sys.executable, "-c", "from hundredfold.cli import main; main()", "build", *args],
            cwd=self.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            **options,
        )

    def built(self, *args: str) -> str:
        done = self.build(*args)
        assert done.exit_code == 0, done.output
        return done.output

    def read(self, folder: str, name: str = "01_arrays.ipynb"):
        return nbformat.read(self.root / folder / name, as_version=4)

    def save(self, folder: str, notebook, name: str = "01_arrays.ipynb") -> Path:
        """Save a notebook as JupyterLab would after an edit."""
        path = self.root / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, path)
        return path

    def bytes(self) -> dict[str, bytes]:
        return {str(p.relative_to(self.root)): p.read_bytes() for p in sorted(self.root.rglob("*.ipynb"))}


@pytest.fixture
def checkout(tmp_path) -> Checkout:
    return Checkout(tmp_path / "checkout")


@pytest.fixture(scope="session")
def lecture() -> str:
    return LECTURE


@pytest.fixture(scope="session")
def exercise() -> str:
    return EXERCISE


@pytest.fixture(scope="session")
def _built_once(tmp_path_factory) -> Path:
    original = Checkout(tmp_path_factory.mktemp("built") / "checkout")
    original.write("lectures", LECTURE)
    original.write("exercises", EXERCISE)
    original.built()
    return original.root


@pytest.fixture
def built(_built_once, tmp_path) -> Checkout:
    """A checkout of `LECTURE` and `EXERCISE`, built: a copy, to be changed at will."""
    return Checkout(shutil.copytree(_built_once, tmp_path / "built"))


@pytest.fixture
def lectures(built) -> Checkout:
    """The same without the exercises: a kernel less for each build."""
    shutil.rmtree(built.root / "sources" / "exercises")
    return built
