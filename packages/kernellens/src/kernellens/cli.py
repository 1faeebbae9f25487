"""The command `kernellens`. Each sub-command is imported when it is called, so that `--help` answers at once."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from types import MappingProxyType

import click

import kernellens

# Where each sub-command is, and the line that `--help` shows for it without importing it.
COMMANDS = {
    "check": (
        "kernellens.check.command:command",
        "Look at every kernel launch of a program: what is wrong, what is slow.",
    ),
    "port": ("kernellens.port.command:command", "Say what your own NumPy and pandas code would be on a GPU."),
    "try": ("kernellens.trial.command:command", "Run somebody's GPU code here and say how far it comes."),
}


class Commands(click.Group):
    """A group that knows its sub-commands by name and imports the one that is called.

    Parameters
    ----------
    sections : mapping
        A heading of `--help` → its sub-commands: name → where it is (``"module:attribute"``) and its line in `--help`.
    moved : mapping
        Names that were sub-commands → the command that does it now.
    """

    def __init__(
        self,
        *args,
        sections: Mapping[str, Mapping[str, tuple[str, str]]],
        moved: Mapping[str, str] = MappingProxyType({}),
        **kwargs,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.sections = sections
        self.known = {name: what for section in sections.values() for name, what in section.items()}
        self.moved = moved

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self.known)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.known:
            return None
        module, _, attribute = self.known[cmd_name][0].partition(":")
        return getattr(importlib.import_module(module), attribute)

    def resolve_command(self, ctx: click.Context, args: list[str]):
        if args and args[0] in self.moved:
            raise click.UsageError(f"This is another command now: `{' '.join([self.moved[args[0]], *args[1:]])}`.", ctx)
        if args and not args[0].startswith("-") and args[0] not in self.known:
            near = difflib.get_close_matches(args[0].lower(), self.known, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(sorted(self.known))}."
            raise click.UsageError(f"There is no command {args[0]!r}. {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, commands in self.sections.items():
            with formatter.section(heading):
                formatter.write_dl([(name, line) for name, (_, line) in commands.items()])


@click.group(cls=Commands, sections={"Commands": COMMANDS}, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(kernellens.__version__, prog_name="kernellens")
def group() -> None:
    """See what GPU kernels and array code do, without a GPU."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command and end the process: 0 if it did what was asked, 1 if not, 2 for wrong use, 130 after Ctrl-C, 143 after SIGTERM."""
    sys.exit(run(group, sys.argv[1:] if arguments is None else arguments, "kernellens", "KERNELLENS_DEBUG"))


def run(command: click.Command, arguments: list[str], name: str, debug: str) -> int:
    """Run a command and return its exit status; what goes wrong is said in a sentence (`debug` set: as a traceback)."""
    with _ended_by_sigterm():
        return _run(command, arguments, name, debug)


@contextlib.contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """End by an exception at SIGTERM, so that temporary folders go and programs that were started end, too."""
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    process = os.getpid()

    def end(number: int, frame: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        if os.getpid() != process:  # a fork has nothing to clean up
            os.kill(os.getpid(), number)
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _run(command: click.Command, arguments: list[str], name: str, debug: str) -> int:
    from gpusim.variables import RenamedVariableError
    from kernellens.variables import refuse

    try:
        refuse()
        result = command.main(arguments, prog_name=name, standalone_mode=False)
        sys.stdout.flush()  # here, where a reader that left is still caught
        return result if isinstance(result, int) else 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except RenamedVariableError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    except (click.Abort, KeyboardInterrupt):
        print("Stopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader (`| head`) has seen enough; Python must not complain when it flushes at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if os.environ.get(debug, "") not in ("", "0"):
            raise
        said = " ".join(str(error).split()) or "no reason was given"
        told = f"{name} {arguments[0] if arguments else ''}".strip()
        text = f"{told} could not go on: {said} ({type(error).__name__})."
        print(f"{text} {debug}=1 shows where.", file=sys.stderr)
        return 1


if __name__ == "__main__":
    main()
