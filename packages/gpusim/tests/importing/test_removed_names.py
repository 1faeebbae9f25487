"""Names that older versions had: the real library's words, and a note that says what became of them."""

import json
from pathlib import Path

import pytest

from gpusim.importing import removed_names

HERE = Path(removed_names.__file__).parents[1] / "libraries"
IMPORTS = "import cudf, cuml, cupy, pytest, rmm"


def listed(library):
    return {
        module: set(names.split()) for module, names in json.loads((HERE / library / "names.json").read_text()).items()
    }


@pytest.mark.parametrize("name", [name for name in removed_names.table() if "(" not in name])
def test_the_locked_version_has_it_not(name):
    owner, _, last = name.rpartition(".")
    library = name.partition(".")[0]
    assert last not in listed(library).get(owner, ())
    assert name not in removed_names.modules(library)


def test_each_says_where_it_is_written():
    for name, known in removed_names.table().items():
        assert set(known) == {"since", "instead", "source"}, name
        assert known["since"] is None or known["source"].startswith("https://"), name


def test_what_to_use_instead_is_there(simulating):
    """Where a whole name stands first, in cudf, cuml, cupy, cupyx or rmm, it can be had."""
    simulating("""
        import importlib, re
        from gpusim.importing import removed_names
        seen = 0
        for name, known in removed_names.table().items():
            found = re.match(r"(?:cudf|cuml|cupy|cupyx|rmm|dask_cuda)(?:\\.[A-Za-z_]\\w*)+", known["instead"])
            if found:
                parts, thing = found[0].split("."), importlib.import_module(found[0].split(".")[0])
                for k, part in enumerate(parts[1:], 2):
                    if not hasattr(thing, part) and found[0] in removed_names.modules(parts[0]):
                        break  # a module that is there and not simulated
                    thing = getattr(thing, part, None) or importlib.import_module(".".join(parts[:k]))
                seen += 1
        assert seen > 20, seen
    """)


@pytest.mark.parametrize(
    ("code", "error", "said", "note"),
    [
        (
            "cudf.DataFrame.from_pandas(1)",
            "AttributeError",
            "type object 'DataFrame' has no attribute 'from_pandas'",
            "cuDF 26.02 removed cudf.DataFrame.from_pandas: use cudf.from_pandas(…).",
        ),
        (
            "cudf.Series([1]).applymap(abs)",
            "AttributeError",
            "'Series' object has no attribute 'applymap'",
            "cuDF 22.10 removed cudf.Series.applymap: use Series.apply.",
        ),
        (
            "cudf.DataFrame({'a': [1]}).append(1)",
            "AttributeError",
            "DataFrame object has no attribute append",
            "cuDF no longer has cudf.DataFrame.append: use cudf.concat([…]).",
        ),
        (
            "cupy.prof",
            "AttributeError",
            "module 'cupy' has no attribute 'prof'",
            "CuPy 14 removed cupy.prof: use cupyx.profiler.",
        ),
        (
            "import cuml.preprocessing.model_selection",
            "ModuleNotFoundError",
            "No module named 'cuml.preprocessing.model_selection'",
            "cuML no longer has cuml.preprocessing.model_selection: use cuml.model_selection.",
        ),
        ("import cuml.nowhere", "ModuleNotFoundError", "No module named 'cuml.nowhere'", None),
        ("cudf.DataFrame.nowhere", "AttributeError", "type object 'DataFrame' has no attribute 'nowhere'", None),
        ("import cuml.testing", "NotSimulatedImport", "cuml.testing needs a GPU: it is not simulated.", None),
        (
            "from cuml import ForestInference",
            "ImportError",
            "cannot import name 'ForestInference' from 'cuml'",
            "cuML no longer has cuml.ForestInference: use nvforest, a package of its own.",
        ),
        (
            "cudf.get_dummies(cudf.DataFrame({'a': [1]}), cats={})",
            "TypeError",
            "get_dummies() got an unexpected keyword argument 'cats'",
            "cuDF 25.08 removed cudf.get_dummies(cats): use a categorical column, whose categories it takes.",
        ),
    ],
)
def test_the_words_and_the_note(simulating, code, error, said, note):
    simulating(f"""
        import numpy
        from gpusim.importing import removed_names
        try:
            exec({code!r})
        except Exception as found:
            assert type(found).__name__ == {error!r} and str(found).startswith({said!r}), repr(found)
            assert removed_names.note_for(found, "cuDF") == {note!r}, removed_names.note_for(found, "cuDF")
        else:
            raise AssertionError("it is there")
    """)


def test_what_pandas_lacks_is_not_said_of_cudf():
    assert removed_names.note_for(AttributeError("'DataFrame' object has no attribute 'append'"), "") is None
