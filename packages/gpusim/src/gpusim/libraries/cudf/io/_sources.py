"""Where readers read from and writers write to: paths, globs, fsspec URLs, buffers; and what that costs in the account."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa


def is_list_like(value: Any) -> bool:
    """Whether a value is several."""
    return (
        hasattr(value, "__iter__") and not isinstance(value, (str, bytes, os.PathLike)) and not hasattr(value, "read")
    )


def as_path(value: Any) -> Any:
    """Return a path object as text."""
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def filesystem_and_paths(sources: list, storage_options: dict | None, filesystem: Any = None) -> tuple[Any, list]:
    """Return the filesystem of some paths, and the paths on it, globs resolved.

    Raises
    ------
    ValueError
        For a filesystem that is none, or options besides one.
    """
    import fsspec

    paths = [os.path.expanduser(as_path(source)) for source in sources]
    if filesystem is not None:
        if not isinstance(filesystem, fsspec.AbstractFileSystem):
            raise ValueError(f"Expected fsspec.AbstractFileSystem. Got {filesystem}")
        if storage_options:
            raise ValueError(
                "Cannot specify storage_options when an explicit filesystem object is specified. "
                f"Got: {storage_options}"
            )
        return filesystem, [
            filesystem._strip_protocol(path)
            for path in fsspec.core.expand_paths_if_needed(paths, "rb", 1, filesystem, None)
        ]
    try:
        fs, _, found = fsspec.core.get_fs_token_paths(paths, mode="rb", storage_options=storage_options)
    except ValueError as error:
        if str(error).startswith("Protocol not known"):
            return None, []
        raise
    return fs, found


def is_local(fs: Any) -> bool:
    """Whether a filesystem is this machine's."""
    from fsspec.implementations.local import LocalFileSystem

    return isinstance(fs, LocalFileSystem)


def resolve(
    path_or_data: Any, storage_options: dict | None = None, pattern: str | None = None, fs: Any = None
) -> list[Any]:
    """Return what there is to read, as paths of this machine or as buffers in memory.

    Parameters
    ----------
    path_or_data : path, URL, buffer, bytes, or a list of them
    storage_options : dict, optional
        For fsspec.
    pattern : str, optional
        Which files of a folder are meant.
    fs : fsspec filesystem, optional
        Whose paths they are.

    Raises
    ------
    FileNotFoundError
        If there is none, in cuDF's words.
    """
    sources = [as_path(one) for one in path_or_data] if is_list_like(path_or_data) else [as_path(path_or_data)]
    if not sources:
        raise ValueError(f"Empty input source list: {sources}.")
    texts = [isinstance(source, str) for source in sources]
    if not any(texts):
        return [_in_memory(source) for source in sources]
    if not all(texts):
        raise ValueError(f"Invalid input source list: {sources}.")
    paths = sources
    if fs is None:
        fs, paths = filesystem_and_paths(sources, storage_options)
    if fs is not None and pattern is not None:
        found = []
        for path in paths:
            if fs.isdir(path):
                inside = fs.glob(fs.sep.join([path, pattern]))
                if not inside:
                    raise FileNotFoundError(f"No files found in directory: {path}")
                found += inside
            else:
                found.append(path)
        paths = found
    if fs is None or not paths or is_local(fs) and not fs.exists(paths[0]):
        raise FileNotFoundError(f"{sources} could not be resolved to any files")
    return paths if is_local(fs) else [io.BytesIO(fs.cat_file(path)) for path in paths]


def _in_memory(source: Any) -> Any:
    if isinstance(source, (io.BytesIO, io.StringIO)):
        return source
    if isinstance(source, (bytes, bytearray, memoryview)):
        return io.BytesIO(bytes(source))
    if hasattr(source, "read"):
        data = source.buffer.read() if isinstance(source, io.TextIOWrapper) else source.read()
        return io.StringIO(data) if isinstance(data, str) else io.BytesIO(data)
    raise TypeError(f"Unrecognized input type: {type(source)}")


def only(sources: list, caller: str) -> Any:
    """Return the one source there is."""
    if len(sources) > 1:
        raise ValueError(f"{caller} does not support multiple sources, got: {sources}")
    return sources[0]


def read_bytes(source: Any) -> bytes:
    """Return all of a source.

    Raises
    ------
    MemoryError
        If it is a file that the device has no memory for, in rmm's words.
    """
    from cudf.core import device

    if isinstance(source, str):
        device.require_memory(size(source))
        with open(source, "rb") as file:
            return file.read()
    data = source.read() if isinstance(source, io.StringIO) else source.getvalue()
    return data.encode() if isinstance(data, str) else data


def read_lines(source: str, offset: int, nbytes: int, terminator: bytes) -> bytes | None:
    """Return the whole lines of a file that begin in a range of bytes, reading little more than these.

    None where the range ends with the file, or the file with the range.
    """
    if not nbytes or offset + nbytes >= size(source):
        return None
    from cudf.core import device

    device.require_memory(nbytes)
    with open(source, "rb") as file:
        file.seek(max(offset - 1, 0))
        data = file.read(nbytes + (offset > 0))
        while terminator not in data[-1:]:
            more = file.read(1 << 16)
            end = more.find(terminator) + 1
            data += more[:end] if end else more
            if end or not more:
                break
    if offset:
        start = data.find(terminator) + 1
        data = data[start:] if 0 < start <= nbytes else b""
    return data


def size(source: Any) -> int:
    """Return how many bytes a source has."""
    if isinstance(source, str):
        return os.path.getsize(source)
    return source.getbuffer().nbytes if isinstance(source, io.BytesIO) else len(source.getvalue())


@contextmanager
def sink(path_or_buf: Any, storage_options: dict | None = None) -> Iterator[Any]:
    """Open what a writer writes to, in binary."""
    path_or_buf = as_path(path_or_buf)
    if isinstance(path_or_buf, str):
        import fsspec

        with fsspec.open(os.path.expanduser(path_or_buf), "wb", **(storage_options or {})) as file:
            yield file
    elif isinstance(path_or_buf, io.TextIOBase) and not hasattr(path_or_buf, "buffer"):
        buffer = io.BytesIO()
        yield buffer
        path_or_buf.write(buffer.getvalue().decode())
    elif isinstance(path_or_buf, io.TextIOBase):
        path_or_buf.flush()
        yield path_or_buf.buffer
        path_or_buf.buffer.flush()
    elif hasattr(path_or_buf, "write"):
        yield path_or_buf
    else:
        raise TypeError(f"Unrecognized output type: {type(path_or_buf)}")


def counted_read(name: str, nbytes: int, columns: Iterable[pa.Array], made: Any) -> None:
    """Enter a reader's work: the file's bytes go to the device as they are, and are decoded there to what was made."""
    from cudf.core import device

    device.uploaded(nbytes, writes=())  # the file's bytes have no memory here, they are decoded on the host
    device.count(name, nbytes, sum(column.nbytes for column in columns), reads=(), writes=made)


def counted_write(name: str, columns: Iterable[pa.Array], nbytes: int, frame: Any) -> None:
    """Enter a writer's work: a frame's columns are encoded on the device, the file's bytes come to the host."""
    from cudf.core import device

    device.count(name, sum(column.nbytes for column in columns), nbytes, reads=frame, writes=())
    device.downloaded(nbytes, reads=())


def columns_of(frame: Any) -> dict[Any, pa.Array]:
    """Return a frame's columns by name."""
    from cudf.core.column import arrow_of

    pandas = frame._p
    return {name: arrow_of(pandas.iloc[:, at].array) for at, name in enumerate(pandas.columns)}


def index_columns(index: Any) -> list[pa.Array]:
    """Return an index's levels."""
    if getattr(index, "nlevels", 1) > 1:
        return [index.get_level_values(level)._arrow for level in range(index.nlevels)]
    return [index._arrow]
