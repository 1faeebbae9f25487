"""Drawings of code that leaves this machine: cluster classes, who reaches a scheduler, Slurm, wheels, Amdahl's law, what a result costs.

Orange is a host, green a GPU or its worker, grey the wire or the queue, blue what is in memory. Hatched is what waits.
"""

from __future__ import annotations

from .canvas import Canvas
from .registry import drawing


@drawing(
    "same-code",
    "Five ways to start a cluster: LocalCUDACluster on this machine, SSHCluster on hosts that you reach by SSH, SLURMCluster on a queue, KubeCluster in "
    "containers, and a gateway on a shared server. Each gives a client. The same function, run with the client as its argument, follows after all five.",
    346,
)
def same_code(c: Canvas) -> None:
    ways = (
        ("LocalCUDACluster", "this machine"),
        ("SSHCluster", "hosts by SSH"),
        ("SLURMCluster", "a queue of jobs"),
        ("KubeCluster", "containers"),
        ("Gateway", "a shared server"),
    )
    c.text(12, 24, "differs: who starts the processes", size="small")
    for k, (name, where) in enumerate(ways):
        y = 40 + k * 60
        c.box(12, y, 190, 50, "host")
        c.text(107, y + 21, name, at="middle", mono=True, size="small", room=186)
        c.text(107, y + 42, where, at="middle", size="small", room=186)
        c.line((202, y + 25), (226, y + 25), look="mark")
    c.line((226, 65), (226, 305), look="mark")
    c.arrow(226, 185, 262, 185)
    c.box(264, 158, 222, 54, "thread", "Client(cluster)", mono=True)
    c.arrow(375, 214, 375, 246)
    c.box(264, 248, 222, 54, "memory", "run(client)", mono=True, strong=True)
    c.text(375, 330, "the same function", at="middle", bold=True)


@drawing(
    "who-gets-in",
    "A scheduler twice. Over tcp it takes functions from you and from a stranger, and a worker runs both as you. Over tls with certificates the stranger is "
    "refused at the scheduler, and only your functions reach the worker.",
    330,
)
def who_gets_in(c: Canvas) -> None:
    for k, (title, closed) in enumerate((("tcp://  no certificates", False), ("tls://  with certificates", True))):
        y = 8 + k * 164
        c.text(14, y + 20, title, bold=True)
        c.box(14, y + 34, 96, 44, "thread", "you")
        c.box(14, y + 96, 96, 44, "empty", "stranger", dashed=True)
        c.box(206, y + 56, 116, 60, "host", "scheduler", strong=True)
        c.arrow(112, y + 66, 204, y + 66)
        c.text(158, y + 58, "function", at="middle", size="small")
        if closed:
            c.line((112, y + 118), (150, y + 118), look="mark", thick=2)
            c.cross(160, y + 118)
        else:
            c.line((112, y + 118), (158, y + 118), (158, y + 104), look="mark", thick=2)
            c.line((158, y + 105), (190, y + 105), look="mark", thick=2)
            c.arrow(188, y + 105, 204, y + 105)
        c.arrow(324, y + 86, 372, y + 86)
        c.box(374, y + 56, 112, 60, "device", "worker")
        c.text(430, y + 138, "runs it as you", at="middle", size="small")
    c.line((10, 166), (490, 166), look="rule faint")


@drawing(
    "slurm-places",
    "What is where on a Slurm cluster. Your laptop reaches the dashboard on the login node through an SSH tunnel. The login node has the notebook with the client, "
    "Dask's scheduler with its port, and the dashboard on 127.0.0.1. The notebook submits jobs to Slurm's queue. Slurm starts each job on a compute node with four GPUs. "
    "The four workers of each job connect back to the scheduler on the login node.",
    424,
)
def slurm_places(c: Canvas) -> None:
    c.box(12, 44, 112, 52, "host", "your laptop", "browser", size="small")
    c.frame(186, 8, 302, 166, "host", "login node")
    c.arrow(126, 70, 196, 70, both=True)
    c.text(155, 60, "ssh -L", at="middle", size="small")
    c.box(198, 44, 130, 52, "empty", "dashboard", "127.0.0.1:PORT", size="small")
    c.box(364, 44, 116, 52, "thread", "notebook", "client", size="small")
    c.box(198, 110, 282, 52, "memory", "Dask's scheduler", "tls://10.0.0.1:40517", size="small", strong=True)
    c.arrow(246, 176, 246, 212)
    c.text(238, 200, "sbatch", at="end", size="small")
    c.box(186, 214, 120, 52, "wire", "Slurm", "queue of jobs", size="small", bold=True)
    for k in range(2):
        x = 12 + k * 244
        c.arrow(214 + k * 64, 268, 214 + k * 64, 300)
        c.frame(x, 302, 232, 110, "host", f"job {k + 1}: a compute node")
        for w in range(4):
            c.box(x + 10 + w * 54, 342, 48, 44, "device", "GPU", strong=True, size="small")
        c.text(x + 116, 404, "a worker for each", at="middle", size="small")
    c.line((60, 300), (60, 136), (182, 136), look="mark", thick=2)
    c.arrow(180, 136, 196, 136)
    c.arrow(440, 300, 440, 164)
    c.text(70, 240, "workers", size="small")
    c.text(70, 259, "connect", size="small")
    c.text(430, 240, "workers", at="end", size="small")
    c.text(430, 259, "connect", at="end", size="small")


@drawing(
    "job-memory",
    "A job with 64 GiB and four workers. With a limit of 16 GiB each, the four workers together fill exactly the 64 GiB of the job. With a limit of 64 GiB each, "
    "they may take 256 GiB, and Slurm ends the job as soon as they pass 64.",
    226,
)
def job_memory(c: Canvas) -> None:
    x, job = 20, 114
    c.text(x, 28, "limit of each worker: 16 GiB", bold=True)
    c.cells(x, 42, job / 4, 40, ["memory!"] * 4)
    c.text(x + job + 16, 68, "the job's 64 GiB: workers spill in time", room=330)
    c.text(x, 122, "limit of each worker: 64 GiB", bold=True)
    for k in range(4):
        c.box(x + k * job, 136, job, 40, "memory", f"worker {k + 1}", strong=k == 0, round=0)
        if k:
            c.hatch(x + k * job, 136, job, 40)
    for top, bottom in ((36, 92), (130, 196)):
        c.line((x + job, top), (x + job, bottom), look="mark", thick=2.5, dashed=True)
    c.text(x + job + 6, 214, "64 GiB in total: Slurm ends the job", size="small")


@drawing(
    "driver-wheels",
    "Two columns. The wheels of cu13 need CUDA 13. CUDA 13 needs a driver from 580 and a GPU from compute capability 7.5. The wheels of cu12 need CUDA 12. CUDA 12 "
    "needs a driver from 525 and a GPU from 7.0. An environment or a container brings wheels and CUDA. Driver and GPU belong to the host.",
    334,
)
def driver_wheels(c: Canvas) -> None:
    columns = (("cu13", "CUDA 13", "580 or newer", "7.5 or newer"), ("cu12", "CUDA 12", "525 or newer", "7.0 or newer"))
    names = ("wheels", "CUDA", "driver", "GPU, cc")
    things = ("memory", "memory", "host", "device")
    for r, (name, thing) in enumerate(zip(names, things, strict=True)):
        y = 44 + r * 76
        c.text(14, y + 29, name, bold=True)
        for k, column in enumerate(columns):
            c.box(88 + k * 148, y, 126, 46, thing, column[r], strong=r in (0, 2))
            if r in (1, 2):
                c.arrow(151 + k * 148, y - 28, 151 + k * 148, y - 2)
    for k in range(2):  # CUDA needs the GPU itself, past the driver
        x = 214 + k * 148
        c.line((x + 2, 143), (x + 13, 143), (x + 13, 295), look="mark")
        c.arrow(x + 13, 295, x + 1, 295)
    c.text(88, 28, "an arrow: needs")
    for top, bottom, lines in (
        (44, 166, ("environment", "or container", "brings it")),
        (196, 318, ("the host", "has it")),
    ):
        c.line((386, top), (394, top), (394, bottom), (386, bottom), look="mark")
        for k, line in enumerate(lines):
            c.text(400, (top + bottom) / 2 + 6 + (k - (len(lines) - 1) / 2) * 20, line, size="small")


@drawing(
    "amdahl-bars",
    "Five bars for 1, 2, 4, 8 and very many workers. Each begins with the same short part that is not divided. The part that is divided becomes half, a quarter, an "
    "eighth and nearly nothing. The short part is left over.",
    262,
)
def amdahl_bars(c: Canvas) -> None:
    left, serial, rest = 96, 31, 352
    c.text(14, 28, "workers", size="small")
    for k, n in enumerate((1, 2, 4, 8, None)):
        y = 40 + k * 38
        c.text(82, y + 21, "∞" if n is None else str(n), at="end", bold=True)
        c.box(left, y, serial, 28, "host", strong=True, round=0)
        if n:
            c.box(left + serial, y, rest / n, 28, "memory", round=0)
    c.line((left + serial, 34), (left + serial, 234), look="mark", thick=1.5, dashed=True)
    c.text(250, 182, "divided among workers", size="small")
    c.box(222, 168, 18, 18, "memory", round=0)
    c.text(250, 214, "not divided", size="small")
    c.box(222, 200, 18, 18, "host", strong=True, round=0)
    c.text(left, 254, "time")
    c.arrow(138, 249, 200, 249)


@drawing(
    "distribute-or-not",
    "Four questions from top to bottom. Is the data small enough, and the time short enough, for this machine? With fewer columns, float32, Parquet or chunks? On one GPU, "
    "in chunks if need be? Do the parts need nothing of each other? At the first yes you stop: stay here, stay here, one GPU, or an array job. If all are answered with no, "
    "you take the smallest cluster with enough memory and a short enough time.",
    402,
)
def distribute_or_not(c: Canvas) -> None:
    steps = (
        ("Does the data fit here, and", "is it fast enough?", "stay here"),
        ("And with fewer columns,", "float32, Parquet, chunks?", "stay here"),
        ("And on one GPU,", "in chunks if need be?", "one GPU"),
        ("Do its parts need nothing", "of each other?", "array job"),
    )
    for k, (first, second, yes) in enumerate(steps):
        y = 10 + k * 80
        c.box(12, y, 286, 54, "empty", first, second)
        c.arrow(300, y + 27, 366, y + 27)
        c.text(330, y + 19, "yes", at="middle", size="small")
        c.box(368, y, 120, 54, "device", yes, strong=True)
        c.arrow(155, y + 56, 155, y + 78)
        c.text(166, y + 73, "no", size="small")
    c.box(12, 330, 286, 60, "host", "the smallest cluster that", "fits and is fast enough", strong=True)


@drawing(
    "gpu-seconds",
    "What is paid for as an area: GPUs times seconds. One GPU for 97 seconds is a long flat bar. Eight GPUs for 19 seconds are a short high block with a larger area. "
    "A hatched part of 8 seconds is not divided, and all eight GPUs are paid for.",
    286,
)
def gpu_seconds(c: Canvas) -> None:
    scale, high, left = 4.5, 17, 14
    c.text(left, 28, "1 GPU, 97 s: 97 GPU seconds", bold=True)
    c.box(left, 40, 97 * scale, high, "device", strong=True, round=0)
    c.text(left, 94, "8 GPUs, 19 s: 152 GPU seconds", bold=True)
    serial = 7.9 * scale
    for k in range(8):
        y = 106 + k * high
        c.box(left, y, 19 * scale, high, "device", strong=True, round=0)
        c.waste(left, y, serial, high)
    c.text(118, 140, "hatched: 8 s of work that is not")
    c.text(118, 162, "divided; all eight GPUs are paid for")
    c.text(118, 206, "the bill counts the area")
    c.arrow(left, 262, left + 97 * scale, 262)
    c.text(left, 282, "seconds", size="small")


@drawing(
    "what-is-sent",
    "From your notebook to a worker on another host. A function that you defined in the notebook travels with the task. A module that you import does not travel: "
    "the worker imports its own copy, if there is one. A file's path does not bring the file: the worker looks at its own disk.",
    216,
)
def what_is_sent(c: Canvas) -> None:
    c.text(14, 26, "your notebook", bold=True)
    c.text(344, 26, "its worker", bold=True)
    rows = (
        ("def f(x): …", "f", True),
        ("import helpers", "its own, if any", False),
        ('"/data/x.parquet"', "its own disk", False),
    )
    for k, (here, there, travels) in enumerate(rows):
        y = 40 + k * 58
        c.box(14, y, 176, 46, "host", here, mono=True, size="small")
        c.box(344, y, 142, 46, "device", there, mono=travels)
        if travels:
            c.arrow(192, y + 23, 342, y + 23)
            c.text(264, y + 16, "travels", at="middle", size="small")
        else:
            c.line((192, y + 23), (256, y + 23), look="mark", dashed=True)
            c.cross(268, y + 23)
