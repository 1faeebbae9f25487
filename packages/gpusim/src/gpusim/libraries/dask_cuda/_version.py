"""The version whose behaviour is kept."""

__version__ = "26.10.00+gpusim"
__git_commit__ = ""
