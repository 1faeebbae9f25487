"""Make the two reports of nsys in this folder from those of Pipit's repository.

    python data/make_reports.py saxpy.sqlite perlmutter-cloverleaf-cuda.sqlite

What is kept: the tables that kernellens.profiling.nsys reads, of the columns those below, and the texts that they name.
"""

import hashlib
import sqlite3
import sys
from pathlib import Path

SOURCES = {
    "saxpy-a100": "38a44cf4de905da66bd1f73f35b23fc4fa0e7f1979bf6f8468ba41fe8f6cf7c6",
    "cloverleaf-a100": "91cedad6e198bfe2deb93f4c158c19e92a5c3968018fb7a1bbee1cceae453efb",
}
TABLES = {
    "CUPTI_ACTIVITY_KIND_KERNEL": "start end deviceId streamId correlationId shortName",
    "CUPTI_ACTIVITY_KIND_MEMCPY": "start end deviceId streamId correlationId bytes copyKind",
    "CUPTI_ACTIVITY_KIND_RUNTIME": "start end globalTid correlationId nameId",
    "NVTX_EVENTS": "start end eventType text globalTid textId",
    "TARGET_INFO_GPU": "id name",
}
TEXTS = {"shortName", "nameId", "textId"}


def cut(source: Path, target: Path) -> None:
    """Copy what is kept."""
    target.unlink(missing_ok=True)
    old, new = sqlite3.connect(f"file:{source}?mode=ro", uri=True), sqlite3.connect(target)
    named: set[int] = set()
    for table, wanted in TABLES.items():
        kinds = {row[1]: row[2] for row in old.execute(f"PRAGMA table_info({table})")}
        columns = [column for column in wanted.split() if column in kinds]
        if not columns:
            continue
        new.execute(f"CREATE TABLE {table} ({', '.join(f'{column} {kinds[column]}' for column in columns)})")
        rows = old.execute(f"SELECT {', '.join(columns)} FROM {table}").fetchall()
        new.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", rows)
        for column in TEXTS & set(columns):
            named |= {row[columns.index(column)] for row in rows}
    new.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL)")
    kept = [row for row in old.execute("SELECT id, value FROM StringIds") if row[0] in named]
    new.executemany("INSERT INTO StringIds VALUES (?, ?)", kept)
    new.commit()
    new.execute("VACUUM")
    new.close()
    old.close()


def main(*sources: str) -> None:
    """Check the sources and cut them."""
    for source, (name, sha256) in zip(sources, SOURCES.items(), strict=True):
        found = hashlib.sha256(Path(source).read_bytes()).hexdigest()
        if found != sha256:
            raise SystemExit(f"{source} is another file than the one that {name}.sqlite was made of: {found}")
        cut(Path(source), Path(__file__).with_name(f"{name}.sqlite"))


if __name__ == "__main__":
    main(*sys.argv[1:])
