"""Notebooks open on a full disk: what Jupyter's store of trusted notebooks does when it cannot write."""

import sqlite3
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.sign import NotebookNotary, SQLiteSignatureStore
from traitlets.config import Config

from hundredfold.classroom.seats import trust


@pytest.fixture
def notary(tmp_path):
    made = NotebookNotary(db_file=str(tmp_path / "signatures.db"), secret=b"s")
    assert type(made.store) is SQLiteSignatureStore
    app = SimpleNamespace(contents_manager=SimpleNamespace(notary=made), config=Config())
    trust.install(app)
    later = NotebookNotary(config=app.config, db_file=str(tmp_path / "other.db"), secret=b"s")
    assert later.store.db_file == made.store.db_file, "what Jupytext makes after us is the same"
    later.store.close()
    yield made
    made.store.close()


def notebook(text):
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text, id="one")])


def full(notary):
    """Nothing more is written to the database; what stands there can be read."""
    notary.store.db.execute("PRAGMA query_only = 1")


def test_it_remembers_as_jupyters_own_does(notary, tmp_path):
    notary.sign(notebook("1"))
    assert notary.check_signature(notebook("1")) and not notary.check_signature(notebook("2"))
    notary.unsign(notebook("1"))
    assert not notary.check_signature(notebook("1"))


def test_what_is_trusted_is_still_known_on_a_full_disk_and_the_rest_is_not(notary):
    notary.sign(notebook("1"))
    full(notary)
    with pytest.raises(sqlite3.OperationalError):
        SQLiteSignatureStore.check_signature(notary.store, notary.compute_signature(notebook("1")), notary.algorithm)
    notary.store.db.rollback()
    assert notary.check_signature(notebook("1")) and not notary.check_signature(notebook("2"))
    notary.sign(notebook("2"))
    notary.unsign(notebook("1"))
    assert notary.check_signature(notebook("1")) and not notary.check_signature(notebook("2"))


def test_a_database_that_is_full_indeed(notary):
    """SQLite's own limit on the number of pages says what a full disk says."""
    notary.sign(notebook("0"))
    pages = notary.store.db.execute("PRAGMA page_count").fetchone()[0]
    notary.store.db.execute(f"PRAGMA max_page_count = {pages}")
    for i in range(400):
        notary.sign(notebook(str(i)))
    assert notary.check_signature(notebook("0")) and not notary.check_signature(notebook("399"))


def test_a_server_without_such_a_store_is_left_alone():
    trust.install(SimpleNamespace(contents_manager=SimpleNamespace()))
    other = NotebookNotary(secret=b"s")
    other.store = store = nbformat.sign.MemorySignatureStore()
    trust.install(SimpleNamespace(contents_manager=SimpleNamespace(notary=other)))
    assert other.store is store
