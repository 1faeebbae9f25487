"""What can go wrong in a build, each as one sentence for the person who wrote the source."""


class BuildError(Exception):
    """A build cannot go on; the message names the file, the line where there is one, and what to do."""


class WrongUse(BuildError):
    """What was asked for is not there: the command's arguments are wrong."""


class SourceError(BuildError):
    """A source file does not have the form that the build needs."""

    def __init__(self, path, line: int | None, message: str):
        self.path, self.line = path, line
        super().__init__(f"{path}:{line}: {message}" if line else f"{path}: {message}")


class CellError(BuildError):
    """A cell raised, took too long, or killed its kernel; or did not raise although it says that it does."""


class MergeError(BuildError):
    """An edited notebook cannot be taken back into its source without guessing."""
