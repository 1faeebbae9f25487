"""A syllabus as a workspace of JupyterLab: its first lecture is open, and the plan in a tab beside it.

`/lab/workspaces/half-day` opens one. What the learner then opens and moves is kept there by JupyterLab, so a workspace that is
there already is the learner's own, and is left as it is. Dask's plots are not in it: units that need them open them by themselves
(`hundredfold.notebook.dashboard`), and beside any other they would be empty.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from . import Syllabus, every


def workspace(syllabus: Syllabus, below: str = "") -> dict[str, Any]:
    """The workspace as JupyterLab keeps it.

    Parameters
    ----------
    below : the folder of the learner's copies, as seen from the server's root; "" where they are the same.
    """
    before = f"{below.strip('/')}/" if below.strip("/.") else ""
    notebook = f"{before}notebooks/{syllabus.first.stem}.ipynb"
    plan = f"{before}syllabi/{syllabus.name}.md"
    first, second = f"notebook:{notebook}", f"markdownviewer-widget:{plan}"
    return {
        "data": {
            "layout-restorer:data": {
                "main": {"dock": {"type": "tab-area", "currentIndex": 0, "widgets": [first, second]}, "current": first},
                "left": {"collapsed": False, "visible": True, "current": "filebrowser", "widgets": ["filebrowser"]},
                "right": {"collapsed": True, "visible": True, "widgets": []},
            },
            first: {"data": {"path": notebook, "factory": "Notebook"}},
            second: {"data": {"path": plan, "factory": "Markdown Preview"}},
            "file-browser-filebrowser:cwd": {"path": before.rstrip("/")},
        },
        "metadata": {"id": syllabus.name},
    }


def put(folder: Path, below: str = "") -> list[str]:
    """Put the workspaces that are missing into JupyterLab's folder of workspaces, and return their names.

    Raises
    ------
    OSError
        If that folder cannot be written to.
    """
    from jupyterlab_server.workspaces_handler import WORKSPACE_EXTENSION, WorkspacesManager, slugify

    manager, put = WorkspacesManager(str(folder)), []
    for name, syllabus in every().items():
        if (folder / (slugify(name) + WORKSPACE_EXTENSION)).exists():
            continue
        manager.save(name, json.dumps(workspace(syllabus, below)))
        put.append(name)
    return put
