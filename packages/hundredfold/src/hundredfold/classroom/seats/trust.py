"""Notebooks open where nothing can be written: Jupyter notes on each opening when it last saw a notebook that it trusts.

On a full disk that note fails, and with it the opening, just when somebody wants to look what can be thrown away.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from nbformat.sign import SQLiteSignatureStore


class Store(SQLiteSignatureStore):
    """Jupyter's own store of trusted notebooks, which reads on when it cannot write."""

    def check_signature(self, digest: str, algorithm: str) -> bool:
        """Whether a notebook is trusted."""
        try:
            return super().check_signature(digest, algorithm)
        except sqlite3.OperationalError:
            self.db.rollback()
            asked = "SELECT id FROM nbsignatures WHERE algorithm = ? AND signature = ?"
            return self.db.execute(asked, (algorithm, digest)).fetchone() is not None

    def store_signature(self, digest: str, algorithm: str) -> None:
        """Trust a notebook; where that cannot be written, its outputs with scripts are shown once its cells have run again."""
        self._try(super().store_signature, digest, algorithm)

    def remove_signature(self, digest: str, algorithm: str) -> None:
        """Trust a notebook no more."""
        self._try(super().remove_signature, digest, algorithm)

    def _try(self, what: Any, *arguments: str) -> None:
        try:
            what(*arguments)
        except sqlite3.OperationalError as error:
            self.db.rollback()
            self.log.warning("Hundredfold: which notebooks are trusted could not be written (%s).", error)


def install(serverapp: Any) -> None:
    """Put the store in place of the server's; also of the one of a contents manager that another extension makes after us (Jupytext)."""
    notary = getattr(serverapp.contents_manager, "notary", None)
    if notary is not None and type(notary.store) is SQLiteSignatureStore:
        file, log = notary.store.db_file, notary.log
        serverapp.config.NotebookNotary.store_factory = lambda: Store(file, log=log)
        notary.store.close()
        notary.store = Store(file, log=log)
