"""Command line tools of CuPy's; the installer of libraries has nothing to install here."""
