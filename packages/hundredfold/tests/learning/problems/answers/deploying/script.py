"""``deploying.script``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from ..edits import Wrong

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


def _but(*changes: tuple[str, str]) -> str:
    text = SOLUTION
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


WRONG = {
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
    "no partition": Wrong(_but(("#SBATCH --partition=gpu\n", "")), "partition"),
    "half of the cores": Wrong(_but(("per-task=16", "per-task=8")), "idle"),
    "half of the memory": Wrong(_but(("--mem=64G", "--mem=32G"), ("16GiB", "8GiB")), "idle"),
    "an empty line first": Wrong("\n" + SOLUTION, "value"),
    "an option that sbatch has not": Wrong(_but(("--gres=gpu:4", "--gpu=4")), "value"),
    "an option that no worker has": Wrong(_but(("--death-timeout", "--nworkers 4 --death-timeout")), "value"),
    "no scheduler": Wrong(_but(("--scheduler-file $HOME/scheduler.json", "")), "forever"),
    "srun for one task": Wrong(_but(("srun ", "srun -n 1 ")), "one-node"),
    "in the background": Wrong(SOLUTION.rstrip() + " &\n", "background"),
    "printed": Wrong(_but(("srun ", "echo srun ")), "value"),
    "CPU workers": Wrong(_but(("dask cuda worker", "dask worker")), "processes"),
    "a line without its backslash": Wrong(_but(("json \\\n", "json\n")), "value"),
    "a limit of 16 bytes": Wrong(_but(("16GiB", "16")), "unit"),
    "a list": Wrong(SOLUTION.splitlines(), "type"),
}
RIGHT = {
    "the solution": SOLUTION,
    "in short": """#!/usr/bin/env bash
#SBATCH -J svd -p gpu -N 2 -c 16
#SBATCH --ntasks-per-node 1 --gpus-per-node=4 -t 90
#SBATCH --mem=65536M
srun dask cuda worker --scheduler-file=scheduler.json --death-timeout=60
""",
    "a task for each GPU": _but(
        ("per-node=1", "per-node=4"),
        ("per-task=16", "per-task=4"),
        ("--gres=gpu:4", "--gpus-per-task=1"),
        ("srun", "srun --gpu-bind=single:1"),
    ),
}
