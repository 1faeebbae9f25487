"""Compiled kernels, kept on disk for the next process.

Numba's own functions turn machine code into bytes and back; this module only says where the bytes lie.  One file holds one
kernel, under the hash of all that decides about it (:mod:`.cache_key`), so that a file is right or absent, never outdated.
Whatever goes wrong with a file or the folder costs a compilation, and nothing else.

A file is unpickled, and what it holds is run.  So the folder must be the user's own and closed to everybody else.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import secrets
import stat
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from llvmlite import binding
from numba.core import compiler, types
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from .cache_key import unmistakable

BYTES = 256 << 20
"""What the folder may hold; above it, what was used longest ago goes."""
_SUFFIX = ".kernel"
_OWN = ("internal", "private")
_DAY = 86400.0
_written: int | None = None  # bytes since the folder was last looked through


def load(key: str, signature: tuple[types.Type, ...]) -> tuple[compiler.CompileResult, Any] | None:
    """Return the machine code that was kept under a key, and what was kept with it; None if there is none that is whole."""
    try:
        with _folder() as folder, _opened(folder, key + _SUFFIX) as file:
            digest, data = file.read(32), file.read()
            at = os.fstat(file.fileno())
            if time.time() - at.st_mtime > _DAY:
                os.utime(file.fileno())
        if hashlib.sha256(data).digest() != digest:
            return None
        held, called, reduced, more = pickle.loads(data)
        if held != key or reduced[3].args != signature:
            return None
        context = cpu_target.target_context
        # Not `context.refresh()`: it loads all that Numba can compile, which takes a second, and here nothing is compiled.
        rtsys.initialize(context)
        if not _known(called):
            context.refresh()
        return (compiler.CompileResult._rebuild(context, *reduced), more) if _known(called) else None
    except Exception:  # no such file, or one that cannot be read: compiled anew, it is written anew
        return None


def _known(symbols: list[str]) -> bool:
    """Whether machine code that calls these can be linked: LLVM ends the process where it cannot."""
    return all(binding.address_of_symbol(symbol) for symbol in symbols)


def save(key: str, result: compiler.CompileResult, more: object) -> None:
    """Keep machine code under a key, where that is possible."""
    library = result.library
    if library.has_dynamic_globals or result.lifted:
        return
    module = library._final_module
    symbols = [each for held in (module.functions, module.global_variables) for each in held]
    exported = [each.name for each in symbols if not each.is_declaration and each.linkage.name not in _OWN]
    if not unmistakable(exported, key[:16]):
        return
    called = [each.name for each in symbols if each.is_declaration and not each.name.startswith("llvm.")]
    data = dumps((key, called, result._replace(type_annotation="")._reduce(), more))
    with contextlib.suppress(OSError), _folder() as folder:
        _write(folder, key + _SUFFIX, hashlib.sha256(data).digest() + data)


@contextlib.contextmanager
def _folder() -> Iterator[int]:
    """The folder, open; raises OSError where there is none that is the user's own."""
    from gpusim.hardware import paths

    if not hasattr(os, "geteuid"):
        raise OSError("here it cannot be told whose a folder is")
    parent = paths.cache_dir()
    if not os.environ.get("GPUSIM_CACHE") and parent.is_relative_to(tempfile.gettempdir()):
        raise OSError("a name among everybody's temporary files can be guessed")
    path = parent / "kernels"
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=0o700)
    opened = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        at = os.fstat(opened)
        if at.st_uid != os.geteuid() or at.st_mode & 0o077:
            raise PermissionError(f"{path} is not the user's own")
        yield opened
    finally:
        os.close(opened)


@contextlib.contextmanager
def _opened(folder: int, name: str) -> Iterator:
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    with open(descriptor, "rb") as file:
        at = os.fstat(descriptor)
        if not stat.S_ISREG(at.st_mode) or at.st_uid != os.geteuid():
            raise PermissionError(name)
        yield file


def _write(folder: int, name: str, data: bytes) -> None:
    """Write a file whole or not at all: whoever reads meanwhile sees the one before, or none."""
    global _written
    if _written is None or _written > BYTES // 16:
        _written = 0
        trim(folder)
    draft = f"{secrets.token_hex(8)}.draft"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
        os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        os.unlink(draft, dir_fd=folder)
        raise
    _written += len(data)


def trim(folder: int, bound: int | None = None) -> None:
    """Remove what was used longest ago until the folder holds no more than a bound, and drafts that nobody finished."""
    bound = BYTES if bound is None else bound
    found, now = [], time.time()
    for name in os.listdir(folder):
        with contextlib.suppress(OSError):
            at = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if name.endswith(".draft"):
                if now - at.st_mtime > _DAY:
                    os.unlink(name, dir_fd=folder)
            elif name.endswith(_SUFFIX):
                found.append((at.st_mtime, at.st_size, name))
    total = sum(size for _, size, _ in found)
    for _, size, name in sorted(found):
        if total <= bound:
            break
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=folder)
            total -= size
