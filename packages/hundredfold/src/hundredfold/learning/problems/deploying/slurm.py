"""Read a job script as Slurm's sbatch and a shell do: which settings count, what they mean, which commands run.

After the manual pages of sbatch and srun (Slurm 22.05 and later): ``#SBATCH`` lines count up to the first command; a time is
minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes or days-hours:minutes:seconds; a size without a
unit is in megabytes, and its units are powers of 1024. Options are read as `getopt_long` reads them: a long name may be cut
short as long as it is one option's alone. Where Slurm is installed, `complaint` asks the real sbatch as well.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

_BOTH = """
A|account= acctg-freq= bb= bbf= b|begin= D|chdir= cluster-constraint= M|clusters= comment= C|constraint= container=
container-id= contiguous S|core-spec= cores-per-socket= cpu-freq= cpus-per-gpu= c|cpus-per-task= deadline= delay-boot=
d|dependency= m|distribution= e|error= x|exclude= exclusive? export= B|extra-node-info= gid= gpu-bind= gpu-freq= G|gpus=
gpus-per-node= gpus-per-socket= gpus-per-task= gres= gres-flags= h|help hint= H|hold i|input= J|job-name= L|licenses=
mail-type= mail-user= mcs-label= mem= mem-bind= mem-per-cpu= mem-per-gpu= mincpus= network= nice? k|no-kill? F|nodefile=
w|nodelist= N|nodes= n|ntasks= ntasks-per-core= ntasks-per-gpu= ntasks-per-node= tasks-per-node= ntasks-per-socket=
oom-kill-step? open-mode= o|output= O|overcommit s|oversubscribe p|partition= power= prefer= priority= profile= propagate?
q|qos= Q|quiet reboot reservation= segment= signal= sockets-per-node= spread-job stepmgr switches= test-only thread-spec=
threads-per-core= t|time= time-min= tmp= tres-bind= tres-per-task= uid= usage use-min-nodes v|verbose V|version wckey=
"""
_SBATCH = """
a|array= batch= consolidate-segments export-file= get-user-env? ignore-pbs kill-on-invalid-dep= no-requeue parsable requeue
W|wait wait-all-nodes= wrap=
"""
_SRUN = """
accel-bind= bcast? bcast-exclude= compress? cpu-bind= X|disable-status epilog= exact external-launcher het-group=
I|immediate? jobid= K|kill-on-bad-exit? l|label mpi= msg-timeout= multi-prog Z|no-allocate overlap E|preserve-env prolog=
pty? quit-on-interrupt r|relative= resv-ports? send-libs? slurmd-debug= task-epilog= task-prolog= T|threads= u|unbuffered
W|wait= wait-for-children whole x11?
"""
_MAY_BE_EMPTY = {"comment", "export", "job-name"}
UNITS = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


@dataclass(frozen=True)
class Options:
    """The options of a command: by its long name, whether an option takes a value (``"="``), may take one (``"?"``: only
    after a ``=``), or takes none; and the long names of the short ones."""

    takes: Mapping[str, str]
    short: Mapping[str, str]

    @classmethod
    def of(cls, *tables: str) -> Options:
        """Read tables such as ``"A|account= exclusive? contiguous"``."""
        takes, short = {}, {}
        for word in " ".join(tables).split():
            letter, _, name = word.rpartition("|")
            kind = name[-1] if name[-1] in "=?" else ""
            name = name.removesuffix(kind)
            takes[name] = kind
            if letter:
                short[letter] = name
        return cls(takes, short)

    def long(self, name: str) -> str:
        """The whole name of a long option that may be cut short; ValueError if it is none, or several."""
        if name in self.takes:
            return name
        found = [each for each in self.takes if each.startswith(name)]
        if len(found) != 1:
            raise ValueError(f"has no option --{name}" if not found else f"has several options --{name}…")
        return found[0]


SBATCH = Options.of(_BOTH, _SBATCH)
SRUN = Options.of(_BOTH, _SRUN)


@dataclass
class Script:
    """A job script.

    Attributes
    ----------
    options : dict of str to str
        Those that count, by their long names.
    ignored : list of str
        ``#SBATCH`` lines after the first command.
    commands : list of list of str
        The words of each command that a shell would run, variables of the script and of Slurm replaced.
    detached : set of int
        Which of the commands are started with ``&``.
    interpreter : bool
        Whether the first line is a ``#!``, without which sbatch takes nothing.
    """

    options: dict[str, str] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)
    commands: list[list[str]] = field(default_factory=list)
    detached: set[int] = field(default_factory=set)
    interpreter: bool = False


def read(text: str) -> Script:
    """Read a job script.

    Raises
    ------
    ValueError
        With what is wrong: an option that sbatch does not have, a quotation mark that is never closed.
    """
    script = Script(interpreter=text.startswith("#!"))
    variables: dict[str, str] = {}
    begun, whole = False, ""
    for line in text.splitlines():
        if not whole and re.match(r"#SBATCH(?![A-Za-z])", line):
            if begun:
                script.ignored.append(line)
            else:
                script.options |= _settings(line)
        elif whole or (line.strip() and not line.lstrip().startswith("#")):
            begun = True
            whole += line.removesuffix("\\") + " "
            if not line.endswith("\\"):
                _command(script, whole, variables)
                whole = ""
    if whole:
        _command(script, whole, variables)
    return script


def _settings(line: str) -> dict[str, str]:
    try:
        words = shlex.split(line[len("#SBATCH") :], comments=True)
    except ValueError:
        raise ValueError(f"in {line.strip()!r} a quotation mark is not closed") from None
    try:
        found, rest = options(words, SBATCH)
    except ValueError as error:
        raise ValueError(f"{line.strip()!r}: sbatch {error}") from None
    if rest:
        raise ValueError(f"{line.strip()!r}: {rest[0]!r} is no option, and sbatch reads options only")
    return found


_ARRAY = re.compile(r'"?\$\{(\w+)\[[@*]\]\}"?')
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_REDIRECTION = re.compile(r"(?:(?<=\s)\d)?(?:&>>?|>>?&?|<)\s*[^\s;&|]+")
_PRINTED = re.compile(r"\$\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)")
_BEFORE = {"then", "do", "else", "elif", "if", "while", "time", "exec", "nohup", "command", "env", "!", "{", "numactl"}


def _command(script: Script, line: str, variables: dict[str, str]) -> None:
    """The commands of a line, continued lines joined, each with its words."""
    known = {**_slurms(script.options), **variables}

    def value(found: re.Match[str]) -> str:
        return known.get(next(group for group in found.groups() if group), found[0])

    array = re.fullmatch(r"\s*(\w+)=\((.*)\)\s*", line)
    if array:
        variables[array[1]] = array[2]
        return
    line = _VARIABLE.sub(value, _ARRAY.sub(value, line))
    # What a command prints is one word, whatever it will be.
    line = _PRINTED.sub(lambda found: "$" + re.sub(r"[\s|;&<>()\"']", "\u00a0", found[0]), line)
    parts = shlex.shlex(_REDIRECTION.sub(" ", line), posix=True, punctuation_chars=True)
    parts.whitespace_split = True
    try:
        words = list(parts)
    except ValueError:
        raise ValueError(f"in {line.strip()!r} a quotation mark is not closed") from None
    now: list[str] = []
    for word in [*words, ";"]:
        if word and set(word) <= set("();<>|&"):
            if now := _plain(now, variables):
                script.commands.append(now)
                script.detached |= {len(script.commands) - 1} if word == "&" else set()
            now = []
        else:
            now.append(word)


def _plain(words: list[str], variables: dict[str, str]) -> list[str]:
    """A command without what stands before it; variables that are set are noted."""
    words = list(words)
    if words and words[0] in ("export", "readonly", "local", "declare"):
        words = [word for word in words[1:] if not word.startswith("-")]
    while words and (words[0] in _BEFORE or re.match(r"\w+=", words[0])):
        name, given, text = words.pop(0).partition("=")
        if given:
            variables[name] = text
    return words


def _slurms(options: Mapping[str, str]) -> dict[str, str]:
    """Variables that Slurm sets in a job, as far as its options say them."""
    names = {
        "SLURM_NNODES": "nodes",
        "SLURM_JOB_NUM_NODES": "nodes",
        "SLURM_NTASKS": "ntasks",
        "SLURM_NTASKS_PER_NODE": "ntasks-per-node",
        "SLURM_CPUS_PER_TASK": "cpus-per-task",
    }
    return {variable: options[name] for variable, name in names.items() if name in options}


def options(words: list[str], known: Options) -> tuple[dict[str, str], list[str]]:
    """``["--time=90", "-N", "2", "dask"]`` → ``{"time": "90", "nodes": "2"}, ["dask"]``: what is no option ends them.

    Raises
    ------
    ValueError
        Without the command's name before it: ``"has no option --gpu"``.
    """
    found: dict[str, str] = {}
    rest = list(words)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        word = rest.pop(0)
        if word == "--":
            break
        if word.startswith("--"):
            name, given, value = word[2:].partition("=")
            name = known.long(name)
            kind = known.takes[name]
            if given and not kind:
                raise ValueError(f"has an option --{name}, which takes no value")
            if kind == "=" and not given:
                value = _next(rest, f"--{name}")
            if kind == "=" and not value and name not in _MAY_BE_EMPTY:
                raise ValueError(f"wants a value for --{name}")
            found[name] = value
            continue
        letters = word[1:]
        while letters:
            if letters[0] not in known.short:
                raise ValueError(f"has no option -{letters[0]}")
            name, letters = known.short[letters[0]], letters[1:]
            kind = known.takes[name]
            found[name] = ""
            if kind:
                found[name] = letters.removeprefix("=") or (_next(rest, f"--{name}") if kind == "=" else "")
                break
    if "tasks-per-node" in found:
        found["ntasks-per-node"] = found.pop("tasks-per-node")
    return found, rest


def _next(rest: list[str], name: str) -> str:
    if not rest:
        raise ValueError(f"wants a value for {name}")
    return rest.pop(0)


_CONFIGURATION = """\
ClusterName=none
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=1
AuthType=auth/none
CredType=cred/none
GresTypes=gpu
MessageTimeout=2
NodeName=localhost CPUs=16 RealMemory=65536
PartitionName=gpu Nodes=ALL MaxTime=24:00:00
"""
_REFUSED = (
    "unrecognized option",
    "ambiguous",
    "requires an argument",
    "Invalid",
    "does not look like",
    "DOS line breaks",
)


def complaint(text: str, patience: float = 0.5) -> str:
    """What the real ``sbatch --test-only`` finds wrong with a script's options; empty where it takes them, or is not installed.

    It gets a configuration of its own, of a cluster that nobody answers for: it reads the script, and reaches no queue.
    """
    sbatch = shutil.which("sbatch")
    if sbatch is None:
        return ""
    with tempfile.TemporaryDirectory(prefix="hundredfold-") as place:
        configuration = Path(place) / "slurm.conf"
        configuration.write_text(_CONFIGURATION)
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("SBATCH_", "SLURM_"))}
        try:
            said = subprocess.run(
                [sbatch, "--test-only"],
                input=text.encode(),
                capture_output=True,
                timeout=patience,
                cwd=place,
                env={**environment, "SLURM_CONF": str(configuration)},
            ).stderr.decode(errors="replace")
        except (subprocess.TimeoutExpired, OSError):  # it has read the script, and waits for an answer
            return ""
    lines = [line.removeprefix("sbatch: ").removeprefix("error: ") for line in said.splitlines()]
    return " ".join(" ".join(lines).split()) if any(each in said for each in _REFUSED) else ""


def syntax(text: str) -> str:
    """What ``bash -n`` says of a script, which reads it and runs nothing; empty where it takes it, or there is no bash."""
    bash = shutil.which("bash")
    if bash is None:
        return ""
    said = subprocess.run([bash, "-n"], input=text.encode(), capture_output=True, timeout=10).stderr.decode()
    return said.partition("\n")[0].rpartition("bash: ")[2]


def seconds(time: str) -> int:
    """A Slurm time in seconds; ValueError if it is none."""
    found = re.fullmatch(r"(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?", time.strip())
    if not found:
        raise ValueError(time)
    days, *parts = found.groups()
    numbers = [int(part) for part in parts if part is not None]
    if days is not None:  # days-hours[:minutes[:seconds]]
        hours, minutes, secs = (*numbers, 0, 0)[:3]
    elif len(numbers) == 3:
        hours, minutes, secs = numbers
    else:  # minutes[:seconds]
        hours, minutes, secs = 0, *(*numbers, 0)[:2]
    return ((int(days or 0) * 24 + hours) * 60 + minutes) * 60 + secs


def size(text: str) -> int:
    """A Slurm size in bytes; ValueError if it is none."""
    found = re.fullmatch(r"(\d+)\s*([KMGT]?)B?", text.strip().upper())
    if not found:
        raise ValueError(text)
    return int(found[1]) * UNITS[found[2] or "M"]


def gpus(options: Mapping[str, str], nodes: int, tasks: int) -> int:
    """GPUs of each node, by whichever option asks for them; 0 where none does. `tasks` is of a node."""
    for name, share in (("gpus-per-node", 1), ("gpus-per-task", tasks), ("gpus", 1 / nodes)):
        if name in options:
            return int(_count(options[name]) * share)
    found = [part for part in options.get("gres", "").split(",") if part.partition(":")[0] in ("gpu", "gres/gpu")]
    return _count(found[0].partition(":")[2] or "1") if found else 0


def _count(text: str) -> int:
    last = text.rpartition(":")[2]  # 4, or a100:4
    return int(last) if last.isdigit() else 1
