"""``deploying.script``: a job script that would be killed, would wait for ever, or would start sixteen processes on four GPUs.

It is read as Slurm and a shell read it (`slurm.read`), so it may be written in any way that means the same.
"""

from __future__ import annotations

import re
from typing import Any

from dask.utils import parse_bytes, parse_timedelta

from ..guard import article
from ..problem import Problem
from ..untouched import missing
from ..verdict import NotAttempted, Verified, refuse
from . import slurm

PARTITION = "gpu"
NODES, GPUS, CORES, MEMORY = 2, 4, 16, 64 * 2**30  # of them, then of each node
ALL_MEMORY = 60 * 2**30  # all of a node's, less what may be left to its system
NEEDED, LONGEST = 90 * 60, 24 * 3600  # seconds
MOST_TIME = 3 * 3600  # more than twice what is needed makes it wait
DEATH = 600  # seconds after which a worker without a scheduler should have gone

WORKER = slurm.Options.of(
    """
    host= nthreads= name= memory-limit= device-memory-limit= rmm-pool-size= rmm-maximum-pool-size= rmm-managed-memory
    no-rmm-managed-memory rmm-async no-rmm-async rmm-release-threshold= set-rmm-allocator-for-libs= rmm-log-directory=
    rmm-track-allocations no-rmm-track-allocations pid-file= resources= dashboard no-dashboard dashboard-address=
    local-directory= shared-filesystem no-shared-filesystem scheduler-file= protocol= interface= preload=
    dashboard-prefix= tls-ca-file= tls-cert= tls-key= enable-tcp-over-ucx disable-tcp-over-ucx enable-infiniband
    disable-infiniband enable-nvlink disable-nvlink enable-rdmacm disable-rdmacm enable-jit-unspill disable-jit-unspill
    enable-cudf-spill disable-cudf-spill cudf-spill-stats= death-timeout= worker-class= pre-import= multiprocessing-method= help version
    """
)
"""The options of ``dask cuda worker``, by dask-cuda's documentation of 25.10 (a name may not be cut short there)."""


def judge(problem: Problem, answers: tuple[Any, ...]) -> Verified:
    """Judge a job script, setting by setting, in the order in which they would go wrong."""
    text = answers[0]
    if missing(text):
        raise NotAttempted
    if not isinstance(text, str):
        refuse("type", f"the script is a text; {article(text)} was given.")
    if not text.startswith("#!"):
        more = " An empty line stands before it." if text.lstrip().startswith("#!") else ""
        refuse("value", f"sbatch takes a script only if its first line says who reads it: #!/bin/bash.{more}")
    if "\r" in text:
        refuse("value", "its lines end as on Windows (\\r\\n), and sbatch takes no such script.")
    try:
        script = slurm.read(text)
    except ValueError as error:
        refuse("value", f"{error}.")
    if said := slurm.syntax(text):
        refuse("value", f"bash cannot read it: {said}.")
    if script.ignored:
        refuse(
            "ignored",
            f"{script.ignored[0]!r} stands after the first command. There it is a comment, and sbatch does not read it.",
        )
    _continued(script)
    asked = _time(script.options)
    _partition(script.options)
    nodes, tasks, cores = _shape(script)
    _gpus(script.options, nodes, tasks)
    cores = _cores_of_a_node(script.options, cores, tasks)
    memory = _memory(script.options, cores)
    srun, launch = _launch(script)
    _processes(srun, nodes, tasks, script.options)
    _cores(cores)
    each, death = _worker(_flags(launch), memory)
    if said := slurm.complaint(text):
        refuse("value", f"sbatch does not take it: {said}")
    return Verified(
        f"{_spell(asked)} on 2 nodes of the partition {PARTITION}; on each 4 GPUs, {CORES} cores and {memory / 2**30:.3g} GiB; one "
        f"process for each GPU, {each}; workers that find no scheduler go away after {death:g} s."
    )


def _continued(script: slurm.Script) -> None:
    """Refuse a line of options: the line above does not go on there."""
    for words in script.commands:
        if words[0].startswith("--"):
            refuse(
                "value",
                f"`{words[0]}` begins a line of its own, and a shell takes it for a command. The line above needs a backslash (\\) as "
                "its last character, with no space after it.",
            )


def _number(options: dict[str, str], name: str, default: int) -> int:
    text = options.get(name, str(default))
    if not text.isdigit() or int(text) < 1:
        refuse("value", f"--{name}={text} is no number that Slurm takes.")
    return int(text)


def _nodes(options: dict[str, str], default: int) -> int:
    least, _, most = options.get("nodes", str(default)).partition("-")
    if not least.isdigit() or not (most or least).isdigit() or int(least) < 1:
        refuse("value", f"--nodes={options['nodes']} is no number that Slurm takes.")
    return max(int(least), int(most or least))


def _time(options: dict[str, str]) -> int:
    if "time" not in options:
        refuse(
            "walltime",
            "no --time counts here, so the partition's default holds: often the longest, or one hour. Say 90 minutes.",
        )
    try:
        asked = slurm.seconds(options["time"])
    except ValueError:
        refuse("walltime", f"--time={options['time']} is no time that Slurm knows: minutes, or hours:minutes:seconds.")
    spelt = f"--time={options['time']} means {_spell(asked)}"
    if asked < NEEDED:
        refuse("walltime", f"{spelt}: the job would be killed before its 90 minutes are over.")
    if asked > LONGEST:
        refuse("walltime", f"{spelt}: the partition allows 24 hours, so the job would wait for ever.")
    if asked > MOST_TIME:
        refuse(
            "walltime",
            f"{spelt}, for 90 minutes of work: the longer a job says it is, the later Slurm finds a gap for it.",
        )
    return asked


def _spell(seconds: int) -> str:
    parts = [(seconds // 3600, "h"), (seconds % 3600 // 60, "min"), (seconds % 60, "s")]
    return " ".join(f"{count} {unit}" for count, unit in parts if count) or "no limit"


def _partition(options: dict[str, str]) -> None:
    asked = options.get("partition")
    if asked is None:
        refuse("partition", "no --partition counts here, so it goes to the default one, which need not have GPUs.")
    if asked != PARTITION:
        refuse("partition", f"--partition={asked}: the job is for the partition {PARTITION}.")


def _shape(script: slurm.Script) -> tuple[int, int, int]:
    options = script.options
    each = _number(options, "ntasks-per-node", 1) if "ntasks-per-node" in options else None
    spread = _number(options, "ntasks", 1) // each if each and "ntasks" in options else 1
    nodes = _nodes(options, max(spread, 1))
    if nodes != NODES:
        refuse(
            "one-node" if nodes < NODES else "idle", f"it asks for {nodes} node{'s' * (nodes > 1)}; the job is for 2."
        )
    total = _number(options, "ntasks", nodes * (each or 1))
    if total < nodes:
        refuse("one-node", f"--ntasks={total}: one task runs on one node, and the other node would stand idle.")
    return nodes, min(each, total // nodes) if each else total // nodes, _number(options, "cpus-per-task", 1)


def _gpus(options: dict[str, str], nodes: int, tasks: int) -> None:
    found = slurm.gpus(options, nodes, tasks)
    if found != GPUS:
        each = f"{found} GPU{'s' * (found != 1)} on each node" if found else "no GPU at all"
        idle = "The other GPUs would stand idle." if found else "All of them would stand idle."
        why = idle if found < GPUS else "No node has so many, so the job would never start."
        refuse("idle" if found < GPUS else "overcommitted", f"it asks for {each}; a node has 4. {why}")


def _cores_of_a_node(options: dict[str, str], cores: int, tasks: int) -> int:
    if "cpus-per-gpu" in options:
        return _number(options, "cpus-per-gpu", 1) * GPUS
    if cores * tasks <= CORES and options.get("exclusive") == "":  # the whole node
        return CORES
    return cores * tasks


def _memory(options: dict[str, str], cores: int) -> int:
    for name, times in (("mem", 1), ("mem-per-cpu", cores), ("mem-per-gpu", GPUS)):
        if name not in options:
            continue
        try:
            memory = slurm.size(options[name]) * times
        except ValueError:
            refuse("unit", f"--{name}={options[name]} is no size that Slurm knows: 64G.")
        if memory == 0:  # Slurm: all of the node's
            return MEMORY
        if memory < 2**30 and options[name].isdigit():
            refuse(
                "unit",
                f"--{name}={options[name]} is {memory / 2**20:,.0f} MiB for a node: without a unit Slurm counts megabytes. The job "
                "would be killed when it starts.",
            )
        if memory < 2**30:
            refuse(
                "unit",
                f"--{name}={options[name]} is {memory / 2**20:,.0f} MiB for a node. The job would be killed when it starts.",
            )
        if memory < ALL_MEMORY:
            refuse(
                "idle",
                f"--{name}={options[name]} is {memory / 2**30:.3g} GiB of a node. The job is to have all that a node has: 64 GiB.",
            )
        if memory > MEMORY:
            refuse(
                "overcommitted",
                f"--{name}={options[name]} is {memory / 2**30:.4g} GiB of a node, which has 64: the job would never start.",
            )
        return memory
    refuse(
        "unit",
        "no --mem counts here, so the partition's default holds, often some GB for each core. A node has 64 GiB: --mem=64G.",
    )


_LAUNCHERS = ("srun", "mpirun", "mpiexec")
_SAYING = ("echo", "printf", "cat", ":", "true", "which", "type")


def _launch(script: slurm.Script) -> tuple[dict[str, str], list[str]]:
    """The options of srun, and the words of the command that starts the workers."""
    for number, words in enumerate(script.commands):
        if words[0] in _SAYING or not _starts_workers(words):
            continue
        if words[0] not in _LAUNCHERS:
            refuse(
                "one-node",
                "the workers are started without srun: a job script runs on the first node only, and the second would stand idle.",
            )
        if number in script.detached and not any(later[0] == "wait" for later in script.commands[number + 1 :]):
            refuse(
                "background",
                "the workers are started in the background (&), and the script ends: the job ends with it, and its workers too. "
                "Leave out the &, or `wait` for them.",
            )
        if words[0] != "srun":
            return {}, words
        try:
            found, rest = slurm.options(words[1:], slurm.SRUN)
        except ValueError as error:
            refuse("value", f"srun {error}.")
        words = _inner(rest)
        _runs(words)
        return found, words
    if any("dask" in " ".join(words) and "worker" in " ".join(words) for words in script.commands):
        if all(words[0] in _SAYING for words in script.commands if "worker" in " ".join(words)):
            refuse("value", "the command that starts the workers is printed, not run.")
        refuse(
            "processes",
            "`dask worker` knows nothing of GPUs: all its processes would use the first. `dask cuda worker` takes one each.",
        )
    refuse("value", "no command starts workers: srun python -m dask cuda worker …")


def _starts_workers(words: list[str]) -> bool:
    return bool(re.search(r"\bdask[ _.-]cuda\b.*\bworker\b", " ".join(words)))


def _runs(words: list[str]) -> None:
    """Refuse a step without a command, and a module's name that is given to Python as a file's."""
    if not words:
        refuse("value", "a step has options and no command: srun OPTIONS python -m dask cuda worker …")
    if re.fullmatch(r"(.*/)?python[\d.]*", words[0]):
        first = next((word for word in words[1:] if not word.startswith("-") or word == "-m"), "")
        if first != "-m" and "/" not in first and first.startswith("dask") and "-m" not in words[: words.index(first)]:
            refuse(
                "value",
                f"`{words[0]} {first}` runs a file of this name in the working folder: `python -m` runs a module.",
            )


def _inner(words: list[str]) -> list[str]:
    """The command that ``bash -c "…"`` runs, or the words as they are."""
    for place, word in enumerate(words[:-1]):
        if re.fullmatch(r"-l?c", word) and _starts_workers([words[place + 1]]):
            return words[place + 1].removeprefix("exec ").split()
    return words


def _processes(srun: dict[str, str], nodes: int, tasks: int, options: dict[str, str]) -> None:
    used = _nodes(srun, nodes)
    if used < nodes:
        refuse("one-node", "srun is told to use fewer nodes than the job has.")
    if "ntasks" in srun:
        total = _number(srun, "ntasks", nodes)
        if total < nodes:
            refuse(
                "one-node",
                f"srun starts {total} task, on one node: the GPUs of the other would stand idle. One task on each node.",
            )
        tasks = total // used
    elif "ntasks-per-node" in srun:
        tasks = _number(srun, "ntasks-per-node", tasks)
    bound = {**options, **srun}
    alone = "gpus-per-task" in bound or bound.get("gpu-bind", "").startswith(("single", "per_task"))
    if tasks > 1 and not (alone and tasks == GPUS):
        refuse(
            "oversubscribed",
            f"{tasks} tasks on a node start `dask cuda worker` {tasks} times, and each starts a process for every GPU that it sees: "
            f"{tasks * GPUS} processes on {GPUS} GPUs. One task a node is enough.",
        )
    seen = slurm.gpus(srun, nodes, tasks)
    if tasks == 1 and (seen or (GPUS if not alone else slurm.gpus(bound, nodes, tasks))) < GPUS:
        refuse("idle", "the task on each node sees fewer than its 4 GPUs, and there is one task.")


def _cores(cores: int) -> None:
    if cores > CORES:
        refuse(
            "overcommitted",
            f"it asks for {cores} cores of a node, which has {CORES}: the job would never start.",
        )
    if cores < GPUS:
        refuse(
            "oversubscribed",
            f"it asks for {cores} core{'s' * (cores > 1)} on a node: four processes would take turns on "
            f"{'it' if cores == 1 else 'them'}. A node has {CORES}, and the job is to have all of them.",
        )
    if cores < CORES:
        refuse("idle", f"it asks for {cores} cores of a node. The job is to have all that a node has: {CORES}.")


def _flags(words: list[str]) -> dict[str, str]:
    """The options of ``dask cuda worker``; the scheduler's address as ``""``."""
    at = next(place for place, word in enumerate(words) if word.endswith("worker"))
    found: dict[str, str] = {}
    rest = list(words[at + 1 :])
    while rest:
        if not rest[0].startswith("-"):
            found.setdefault("", rest.pop(0))
            continue
        name = rest[0].partition("=")[0].removeprefix("--")
        try:
            if name not in WORKER.takes:
                raise ValueError(f"has no option {rest[0].partition('=')[0]}")
            size = 2 if WORKER.takes[name] and "=" not in rest[0] else 1
            more, _ = slurm.options(rest[:size], WORKER)
        except ValueError as error:
            refuse("value", f"`dask cuda worker` {error}, and ends at once.")
        found |= more
        rest = rest[size:]
    return found


def _worker(flags: dict[str, str], memory: int) -> tuple[str, float]:
    """What each process may hold, in words, and the seconds after which one without a scheduler ends."""
    address = flags.get("", "")
    if "scheduler-file" not in flags and not ("://" in address or "scheduler.json" in address):
        refuse(
            "forever",
            "the workers are not told where the scheduler is. Its address is in scheduler.json: --scheduler-file.",
        )
    if "scheduler-file" in flags and not re.search(r"(^|/)scheduler\.json$", flags["scheduler-file"]):
        refuse(
            "forever",
            f"--scheduler-file {flags['scheduler-file']}: the scheduler has written its address into scheduler.json.",
        )
    return _limit(flags.get("memory-limit", "auto"), memory), _death(flags.get("death-timeout"))


def _limit(limit: str, memory: int) -> str:
    if limit == "auto":
        return "its share of the memory for each"
    try:
        number = float(limit) if re.fullmatch(r"\d*\.\d+", limit) else 2.0
        each = number * memory if number <= 1 else parse_bytes(limit)
    except ValueError:
        refuse("unit", f"--memory-limit {limit} is no size that Dask knows: 16GiB.")
    if each == 0:
        refuse(
            "overcommitted",
            "--memory-limit 0 is no limit: a worker never spills, and Slurm kills the job at 64 GiB.",
        )
    if GPUS * each > memory * 1.001:
        refuse(
            "overcommitted",
            f"--memory-limit {limit} holds for each process, and four of them may then take {GPUS * each / 2**30:.4g} GiB of the "
            f"{memory / 2**30:.4g} GiB that the job has on a node: Slurm kills it before a worker begins to spill.",
        )
    if limit.isdigit() and each < 2**20:
        refuse("unit", f"--memory-limit {limit} is {limit} bytes: Dask counts bytes where a size has no unit. 16GiB.")
    if GPUS * each < memory / 4:
        refuse("idle", f"--memory-limit {limit} for each of four processes leaves most of the node's memory unused.")
    return f"{each / 2**30:.3g} GiB for each"


def _death(death: str | None) -> float:
    if death is None:
        refuse(
            "forever",
            "a worker that finds no scheduler waits for it until the job's time is over, and keeps its GPUs from everybody else. Give it "
            "--death-timeout 120.",
        )
    try:
        seconds = float(parse_timedelta(death, default="s"))
    except (ValueError, KeyError, TypeError):
        refuse("forever", f"--death-timeout {death} is no time that Dask knows: 120, or 2 minutes.")
    if not 0 < seconds <= DEATH:
        refuse(
            "forever",
            f"--death-timeout {death} is {seconds:g} s{' (0 is for ever)' * (seconds == 0)}: a worker without a scheduler must be gone "
            "within ten minutes.",
        )
    return seconds


SCRIPT = Problem(
    id="deploying.script",
    title="Repair a job script",
    kind="repair",
    answers=("script",),
    judge=judge,
    hints=(
        "Read every line as Slurm does: where does it stop to read settings, and what are the units of a time and of a size?",
        "In Slurm 1:30 is a minute and a half, and a size without a unit is in megabytes. #SBATCH lines count only above the "
        "first command.",
        "`dask cuda worker` starts a process for each GPU that it sees, so once on each node is enough; and --memory-limit is for "
        "each of these processes.",
    ),

)  # fmt: skip
