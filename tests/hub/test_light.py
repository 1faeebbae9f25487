"""A learner's server leaves out what it never uses, and loses nothing by it."""

import json
import subprocess
import sys

HEAVY = ("sqlalchemy", "alembic")
SEEN = f"""
import json, sys
print(json.dumps(sorted({{name.partition(".")[0] for name in sys.modules}} & {set(HEAVY)!r})))
"""


def run(program: str) -> list:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_hubs_database_is_not_loaded():
    light = "from hundredfold.classroom.seats import light; light.server(); import jupyterhub.singleuser as s; assert s.main"
    assert run(light + SEEN) == [[]]
    assert run("import jupyterhub.singleuser" + SEEN) == [sorted(HEAVY)]  # or there is nothing to leave out any more


def test_the_real_modules_are_there_for_whoever_needs_them():
    program = """
import json
from hundredfold.classroom.seats import light
light.server()
from jupyterhub import orm
import sqlalchemy
print(json.dumps([orm.User.__tablename__, hasattr(sqlalchemy, "select")]))
"""
    assert run(program) == [["users", True]]


def test_a_jupyterhub_that_needs_more_than_names_is_imported_whole():
    program = """
from hundredfold.classroom.seats import light
light.HUB_ONLY += ("jupyterhub._version",)  # of which the package needs the number
light.server()
import jupyterhub.singleuser as s
assert s.main
"""
    assert run(program + SEEN) == [sorted(HEAVY)]
