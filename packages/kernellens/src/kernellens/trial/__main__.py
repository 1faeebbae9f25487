"""The process in which a script is tried: ``python -m kernellens.trial SCRIPT [argument …]``."""

from __future__ import annotations

import os
import sys


def main(script: str, arguments: list[str]) -> None:
    """Run a script as ``python -m gpusim`` does, and note what stops it."""
    from gpusim import running
    from gpusim.start import start

    from . import inside

    path = os.path.abspath(script)
    folder = os.path.dirname(path)
    sys.argv = [sys.argv[0], script, *arguments]
    inside.begin_script()
    try:
        running.main([script, *arguments], start, "kernellens.trial", __doc__ or "")
    except SystemExit as exit_:
        inside.write()
        if exit_.code not in (None, 0):
            raise
    except BaseException as error:
        inside.note_error(error, lambda name: name.startswith(folder + os.sep))
        raise
    inside.write()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
