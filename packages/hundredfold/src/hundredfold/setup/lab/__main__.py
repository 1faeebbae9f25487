"""`python -m hundredfold.setup.lab [arguments for JupyterLab]`: `start`, of which Ctrl-C may also catch the imports."""

import sys

if __name__ == "__main__":
    try:
        from .start import main

        sys.exit(main())
    except KeyboardInterrupt:
        print("\nHundredfold: stopped before the lab was open; `make lab` opens it.", file=sys.stderr)
        sys.exit(130)
