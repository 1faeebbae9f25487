"""``deploying.script``: a job script that would be killed, would wait for ever, or would start sixteen processes on four GPUs.

It is read as Slurm reads it (`slurm.read`), so it may be written in any way that means the same.
"""

from __future__ import annotations

import re
from typing import Any

from dask.utils import parse_bytes

from ..guard import article
from ..problem import Problem, Wrong
from ..untouched import missing
from ..verdict import NotAttempted, Verified, refuse
from . import slurm

NODES, GPUS, CORES, MEMORY = 2, 4, 16, 64 * 2**30  # of them, then of each node
NEEDED, LONGEST = 90 * 60, 24 * 3600  # seconds
MOST_TIME = 3 * 3600  # more than twice what is needed makes it wait
DEATH = 600  # seconds after which a worker without a scheduler should have gone

SOLUTION = """\
#!/bin/bash
#SBATCH --job-name=svd
#SBATCH --partition=gpu
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --gres=gpu:4
#SBATCH --mem=64G
#SBATCH --time=01:30:00

module load cuda
srun python -m dask cuda worker --scheduler-file $HOME/scheduler.json \\
    --memory-limit 16GiB --death-timeout 120 --local-directory /tmp
"""
GIVEN = """\
#!/bin/bash
#SBATCH --job-name=svd
#SBATCH --partition=gpu
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --cpus-per-task=4
#SBATCH --gres=gpu:4
#SBATCH --time=1:30

module load cuda
#SBATCH --mem=64

srun python -m dask cuda worker --scheduler-file $HOME/scheduler.json \\
    --memory-limit 64GB --local-directory /tmp
"""


def judge(problem: Problem, answers: tuple[Any, ...]) -> Verified:
    """Judge a job script, setting by setting, in the order in which they would go wrong."""
    text = answers[0]
    if missing(text):
        raise NotAttempted
    if not isinstance(text, str):
        refuse("type", f"the script is a text; {article(text)} was given.")
    try:
        script = slurm.read(text)
    except ValueError as error:
        refuse("value", f"{error}.")
    if not script.interpreter:
        refuse("value", "sbatch takes a script only if its first line says who reads it: #!/bin/bash.")
    if script.ignored:
        refuse(
            "ignored",
            f"{script.ignored[0]!r} stands after the first command. There it is a comment, and sbatch does not read it.",
        )
    _time(script.options)
    nodes, tasks, cores = _shape(script)
    _gpus(script.options, nodes, tasks)
    memory = _memory(script.options, cores * tasks)
    options, launch = _launch(script)
    _processes(options | {}, nodes, tasks, launch, script.options)
    _cores(cores, tasks)
    _worker(_flags(launch), memory)
    return Verified(
        "90 minutes on 2 nodes; on each 4 GPUs, one process for each of them, 16 GiB for each process, and enough cores; workers "
        "that find no scheduler go away."
    )


def _number(options: dict[str, str], name: str, default: int) -> int:
    text = options.get(name, str(default)).partition("-")[0]
    if not text.isdigit() or int(text) < 1:
        refuse("value", f"--{name}={options[name]} is no number that Slurm takes.")
    return int(text)


def _time(options: dict[str, str]) -> None:
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


def _spell(seconds: int) -> str:
    parts = [(seconds // 3600, "h"), (seconds % 3600 // 60, "min"), (seconds % 60, "s")]
    return " ".join(f"{count} {unit}" for count, unit in parts if count) or "no limit"


def _shape(script: slurm.Script) -> tuple[int, int, int]:
    options = script.options
    nodes = _number(options, "nodes", 1)
    tasks = _number(options, "ntasks-per-node", 0) if "ntasks-per-node" in options else None
    if tasks is None:
        tasks = max(1, _number(options, "ntasks", nodes) // nodes)
    if nodes != NODES:
        refuse(
            "one-node" if nodes < NODES else "idle", f"it asks for {nodes} node{'s' * (nodes > 1)}; the job is for 2."
        )
    return nodes, tasks, _number(options, "cpus-per-task", 1)


def _gpus(options: dict[str, str], nodes: int, tasks: int) -> None:
    found = slurm.gpus(options, nodes, tasks)
    if found != GPUS:
        each = f"{found} GPU{'s' * (found != 1)} on each node" if found else "no GPU at all"
        why = {True: "The other GPUs would stand idle.", False: "No node has so many, so the job would never start."}
        refuse("idle" if found < GPUS else "overcommitted", f"it asks for {each}; a node has 4. {why[found < GPUS]}")


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
        if memory < MEMORY // 2:
            refuse(
                "unit",
                f"--{name}={options[name]} is {memory / 2**20:,.0f} MiB for a node: without a unit Slurm counts megabytes. The job "
                "would be killed when it starts.",
            )
        if memory > MEMORY:
            refuse(
                "overcommitted",
                f"--{name}={options[name]} is more than the 64 GiB of a node: the job would never start.",
            )
        return memory
    refuse(
        "unit",
        "no --mem counts here, so the partition's default holds, often some GB for each core. A node has 64 GiB: --mem=64G.",
    )


def _launch(script: slurm.Script) -> tuple[dict[str, str], list[str]]:
    """The options of srun, and the words of the command that starts the workers."""
    for words in script.commands:
        joined = " ".join(words)
        if not re.search(r"\bdask[ _.-]cuda\b.*\bworker\b|dask-cuda-worker", joined):
            continue
        if words[0] not in ("srun", "mpirun", "mpiexec"):
            refuse(
                "one-node",
                "the workers are started without srun: a job script runs on the first node only, and the second would stand idle.",
            )
        return slurm.options(words[1:]), words
    if any("dask" in words and "worker" in words for words in script.commands):
        refuse(
            "processes",
            "`dask worker` knows nothing of GPUs: all its processes would use the first. `dask cuda worker` takes one each.",
        )
    refuse("value", "no command starts workers: srun python -m dask cuda worker …")


def _processes(srun: dict[str, str], nodes: int, tasks: int, launch: list[str], options: dict[str, str]) -> None:
    if "ntasks-per-node" in srun:
        tasks = _number(srun, "ntasks-per-node", tasks)
    elif "ntasks" in srun:
        tasks = max(1, _number(srun, "ntasks", nodes) // _number(srun, "nodes", nodes))
    if _number(srun, "nodes", nodes) < nodes:
        refuse("one-node", "srun is told to use fewer nodes than the job has.")
    bound = {**options, **srun}
    alone = "gpus-per-task" in bound or bound.get("gpu-bind", "").startswith(("single", "per_task"))
    if tasks > 1 and not (alone and tasks == GPUS):
        refuse(
            "oversubscribed",
            f"{tasks} tasks on a node start `dask cuda worker` {tasks} times, and each starts a process for every GPU that it sees: "
            f"{tasks * GPUS} processes on {GPUS} GPUs. One task a node is enough.",
        )
    if tasks == 1 and alone and slurm.gpus(bound, nodes, tasks) < GPUS:
        refuse("idle", "a task sees one GPU only, and there is one task on each node.")


def _cores(cores: int, tasks: int) -> None:
    if cores * tasks > CORES:
        refuse(
            "overcommitted",
            f"it asks for {cores * tasks} cores of a node, which has {CORES}: the job would never start.",
        )
    if cores * tasks < GPUS:
        refuse(
            "oversubscribed",
            f"it asks for {cores * tasks} core{'s' * (cores * tasks > 1)} on a node: four processes would take turns on "
            f"{'it' if cores * tasks == 1 else 'them'}. Every process wants one at least, and a node has {CORES}.",
        )


def _flags(words: list[str]) -> dict[str, str]:
    at = next(place for place, word in enumerate(words) if "worker" in word)
    found: dict[str, str] = {}
    for place, word in enumerate(words[at + 1 :], at + 1):
        if word.startswith("--"):
            name, given, value = word[2:].partition("=")
            found[name] = value if given else (words[place + 1] if place + 1 < len(words) else "")
    return found


def _worker(flags: dict[str, str], memory: int) -> None:
    limit = flags.get("memory-limit", "auto")
    if limit not in ("auto", ""):
        try:
            each = float(limit) * memory if re.fullmatch(r"0?\.\d+", limit) else parse_bytes(limit)
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
                f"--memory-limit {limit} holds for each process, and four of them may then take {GPUS * each / 2**30:.0f} GiB of the "
                f"{memory / 2**30:.0f} GiB that the job has on a node: Slurm kills it before a worker begins to spill.",
            )
        if GPUS * each < memory / 4:
            refuse(
                "idle", f"--memory-limit {limit} for each of four processes leaves most of the node's memory unused."
            )
    death = flags.get("death-timeout")
    if death is None:
        refuse(
            "forever",
            "a worker that finds no scheduler waits for it until the job's time is over, and keeps its GPUs from everybody else. Give it "
            "--death-timeout 120.",
        )
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(s|sec|seconds|m|min|minutes)?", death)
    if not found or float(found[1]) * (60 if (found[2] or "s").startswith("m") else 1) > DEATH:
        refuse(
            "forever", f"--death-timeout {death}: a worker without a scheduler should be gone after two minutes or so."
        )


def _but(*changes: tuple[str, str]) -> str:
    text = SOLUTION
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


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
    wrong={
        "as given": Wrong(GIVEN, "ignored"),
        "minute and a half": Wrong(_but(("=01:30:00", "=1:30")), "walltime"),
        "ninety hours": Wrong(_but(("=01:30:00", "=90:00:00")), "walltime"),
        "no time": Wrong(_but(("#SBATCH --time=01:30:00\n", "")), "walltime"),
        "megabytes": Wrong(_but(("=64G", "=64")), "unit"),
        "no memory": Wrong(_but(("#SBATCH --mem=64G\n", "")), "unit"),
        "after the module": Wrong(
            _but(("#SBATCH --mem=64G\n", ""), ("module load cuda\n", "module load cuda\n#SBATCH --mem=64G\n")), "ignored"
        ),
        "four tasks": Wrong(_but(("per-node=1", "per-node=4"), ("per-task=16", "per-task=4")), "oversubscribed"),
        "one core": Wrong(_but(("#SBATCH --cpus-per-task=16\n", "")), "oversubscribed"),
        "all of the memory each": Wrong(_but(("16GiB", "64GB")), "overcommitted"),
        "four of eight GPUs": Wrong(_but(("--gres=gpu:4", "--gpus=4")), "idle"),
        "eight GPUs a node": Wrong(_but(("gres=gpu:4", "gres=gpu:8")), "overcommitted"),
        "no srun": Wrong(_but(("srun ", "")), "one-node"),
        "no death": Wrong(_but((" --death-timeout 120", "")), "forever"),
        "CPU workers": Wrong(_but(("dask cuda worker", "dask worker")), "processes"),
        "a list": Wrong(SOLUTION.splitlines(), "type"),
    },
    right={
        "the solution": SOLUTION,
        "in short": """#!/usr/bin/env bash
#SBATCH -J svd -p gpu -N 2 -c 8
#SBATCH --ntasks-per-node 1 --gpus-per-node=4 -t 90
#SBATCH --mem=65536M
srun dask cuda worker --scheduler-file=scheduler.json --death-timeout=60
""",
        "a task for each GPU": _but(
            ("per-node=1", "per-node=4"), ("per-task=16", "per-task=4"), ("--gres=gpu:4", "--gpus-per-task=1"), ("srun", "srun --gpu-bind=single:1")
        ),
    },
)  # fmt: skip
