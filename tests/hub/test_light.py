"""A learner's server leaves out what it never uses, and loses nothing by it."""

import json
import subprocess
import sys

HEAVY = ("sqlalchemy", "alembic", "lark")
SEEN = f"""
import json, sys
print(json.dumps(sorted({{name.partition(".")[0] for name in sys.modules}} & {set(HEAVY)!r})))
"""


def run(program: str) -> list:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_hubs_database_and_a_grammar_are_not_loaded():
    light = "from hundredfold.seats import light; light.server(); import jupyterhub.singleuser as s; assert s.main"
    assert run(light + SEEN) == [[]]
    assert run("import jupyterhub.singleuser" + SEEN) == [sorted(HEAVY)]  # or there is nothing to leave out any more


def test_what_is_loaded_later_answers_the_same():
    program = """
import json
from jsonschema import Draft202012Validator as Validator
for text in ("https://example.org/é", "not an address", "http://[", ""):
    wrong = Validator({"format": "iri"}, format_checker=Validator.FORMAT_CHECKER).iter_errors(text)
    print(json.dumps([each.message for each in wrong]))
"""
    plain = run(program)
    assert any(plain)
    assert not all(plain)
    assert run("from hundredfold.seats import light; light.server()" + program) == plain


def test_the_real_modules_are_there_for_whoever_needs_them():
    program = """
import json
from hundredfold.seats import light
light.server()
import rfc3987_syntax
from jupyterhub import orm
import sqlalchemy
print(json.dumps([orm.User.__tablename__, hasattr(sqlalchemy, "select"), hasattr(rfc3987_syntax, "parse")]))
"""
    assert run(program) == [["users", True, True]]


def test_a_jupyterhub_that_needs_more_than_names_is_imported_whole():
    program = """
from hundredfold.seats import light
light.HUB_ONLY += ("jupyterhub._version",)  # of which the package needs the number
light.server()
import jupyterhub.singleuser as s
assert s.main
"""
    assert run(program + SEEN) == [["alembic", "sqlalchemy"]]
