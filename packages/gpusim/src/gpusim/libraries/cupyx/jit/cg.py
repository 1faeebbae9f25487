"""Cooperative groups: the grid and the block."""

from ._objects import Builtin

this_grid, this_thread_block = Builtin("group", "grid"), Builtin("group", "block")
sync = Builtin("group_sync")
wait, wait_prior, memcpy_async = (Builtin("refused", f"cg.{name}") for name in ("wait", "wait_prior", "memcpy_async"))
