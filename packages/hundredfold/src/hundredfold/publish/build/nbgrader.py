"""What makes a notebook's cells an assignment's: metadata of nbgrader's schema 3, and which problem a cell checks.

nbgrader is no dependency of ours; `hundredfold assignment` makes its course from the notebooks that carry this.
"""

import re

CHECK = re.compile(r"check\(\s*[\"']([^\"']+)[\"']\s*[,)]")


def graded(grade_id: str, points: float) -> dict:
    """Metadata of a cell that gives points: locked, so that a learner's edit is undone before grading."""
    return _cell(grade_id, grade=True, solution=False, locked=True) | {"points": points}


def solved(grade_id: str) -> dict:
    """Metadata of a cell that a learner fills in."""
    return _cell(grade_id, grade=False, solution=True, locked=False)


def _cell(grade_id: str, *, grade: bool, solution: bool, locked: bool) -> dict:
    return {
        "cell_type": "code",
        "grade": grade,
        "grade_id": grade_id,
        "locked": locked,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
