"""More memory than the device has: refused before the machine is asked for it, in rmm's words."""

import textwrap

import pytest

SETTINGS = {"GPUSIM_GPU_MEMORY": "128MiB"}
# An address space of 8 GB, so that what is not refused in time cannot take this machine's memory either.
IMPORTS = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
import numpy as np, pytest, cudf, cupy
"""
PROGRAMS = {
    "an array": "cudf.Series(np.broadcast_to(np.int64(1), (10**10,)))",
    "a column of a frame": "cudf.DataFrame({'a': np.broadcast_to(np.float32(1), (10**10,))})",
    "a range": "cudf.Series(range(10**11))",
    "a merge of equal keys": """
        frame = cudf.DataFrame({"k": cupy.zeros(200_000, "i4"), "v": cupy.arange(200_000)})
        frame.merge(frame, on="k")""",
    "a merge by two keys": """
        frame = cudf.DataFrame({"k": cupy.zeros(200_000, "i4"), "s": ["a"] * 200_000, "v": cupy.arange(200_000)})
        frame.merge(frame, on=["k", "s"], how="outer")""",
    "a join of indices": """
        frame = cudf.DataFrame({"v": cupy.arange(200_000)}, index=cupy.zeros(200_000, "i4"))
        frame.join(frame, lsuffix="l", rsuffix="r")""",
    "a cross join": """
        frame = cudf.DataFrame({"v": cupy.arange(200_000)})
        frame.merge(frame, how="cross")""",
    "a csv file": """
        with open("FOLDER/large.csv", "wb") as file:
            file.write(b"a\\n")
            file.truncate(10**11)
        cudf.read_csv("FOLDER/large.csv")""",
    "a parquet file": """
        import pyarrow, pyarrow.parquet
        ones = pyarrow.table({"a": pyarrow.array(np.zeros(20_000_000))})
        pyarrow.parquet.write_table(ones, "FOLDER/zeros.parquet", use_dictionary=False, compression="zstd")
        cudf.read_parquet("FOLDER/zeros.parquet")""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_does_not_fit_is_refused(name, simulating, tmp_path):
    program = textwrap.indent(textwrap.dedent(PROGRAMS[name]).strip(), "    ").replace("FOLDER", str(tmp_path))
    simulating("with pytest.raises(MemoryError, match='^std::bad_alloc: out_of_memory: CUDA error'):\n" + program)


def test_a_merge_that_fits_is_made(cudf):
    """Millions of pairs are possible, thousands are there."""
    import cupy

    left = cudf.DataFrame({"k": cupy.arange(100_000), "v": cupy.arange(100_000)})
    right = cudf.DataFrame({"k": cupy.arange(100_000) // 2, "w": cupy.arange(100_000)})
    assert len(left.merge(right, on="k")) == 100_000
    assert len(left.set_index("k").join(right.set_index("k"), how="inner")) == 100_000


@pytest.mark.parametrize("size", [1, 7, 10, 11, 64, 100])
def test_a_part_of_a_file_is_its_lines(cudf, tmp_path, size):
    """Every line is in the part in which it begins, whatever its length."""
    lines = [f"{i},{'x' * (i * 7 % 23)}" for i in range(40)]
    file = tmp_path / "lines.csv"
    file.write_text("\n".join(lines) + "\n")
    found = []
    for start in range(0, file.stat().st_size, size):
        part = cudf.read_csv(file, byte_range=(start, size), header=None, names=["a", "b"])
        found += part["a"].to_arrow().to_pylist()
    assert found == list(range(40))
