"""Four notebooks at once on one GPU, on a real hub: each has its own part, who wants more gets their own error, and neighbours go on.

No machine here has a GPU: a make-believe nvidia-smi tells the hub of one, and the notebooks simulate it. The limits, and what keeps
them, are those of a real one: CuPy's pool reads its limit from the environment, RMM is held by `hundredfold.classroom.seats.rmm`.
"""

import json
import os
import re
import threading

import hubs
import pytest
from traitlets.config.loader import PyFileConfigLoader

#: The simulated library's own UUID, so that what a seat is shown is there in its notebook.
GPU = "GPU-00000000-0000-4000-8000-000000000000"
MEMORY = 15360  # MiB, as a T4 has
EACH = 2000 << 20  # what each seat is given, in bytes
SMI = """\
#!/bin/sh
case "$1" in
-L) echo "GPU 0: Tesla T4 (UUID: {uuid})" ;;
*memory.used*) echo "{uuid}, 3" ;;
*) echo "0, Tesla T4, {uuid}, {memory}, {mode}, {mig}, {mig}" ;;
esac
"""


@pytest.fixture(scope="module")
def gpu(tmp_path_factory):
    """Put such a GPU first on PATH; a function that changes what is told of it."""
    folder = tmp_path_factory.mktemp("smi")

    def tell(mode="Default", mig="[N/A]"):
        (folder / "nvidia-smi").write_text(SMI.format(uuid=GPU, memory=MEMORY, mode=mode, mig=mig))
        (folder / "nvidia-smi").chmod(0o755)

    tell()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        patch.setenv("CUDA_MPS_PIPE_DIRECTORY", str(folder / "no-mps"))
        yield tell


def given(settings, **values):
    """Set in [seats] what stands there as a comment."""
    text = settings.read_text()
    for key, value in values.items():
        text, count = re.subn(rf"(?m)^(# )?{key} = .*$", f"{key} = {json.dumps(value)}", text)
        assert count == 1, key
    settings.write_text(text)


@pytest.fixture(scope="module")
def four(gpu, people, tmp_path_factory):
    """Four learners in their labs, all on that GPU."""
    hub = hubs.Hub(tmp_path_factory.mktemp("shared"), people, learners=4, memory="8G")
    given(hub.settings, gpu_memory="2000M")
    try:
        hub.start()
        found = [hubs.Learner(hub, people.add(f"gpu{i}")) for i in range(4)]
        for learner in found:
            learner.log_in()
            learner.open()
        yield found
    finally:
        hub.close()


BEGIN = """
%load_ext hundredfold
import os, cupy, rmm
mine = cupy.arange(2_000_000, dtype="f8")
print("has", os.environ["CUDA_VISIBLE_DEVICES"], cupy.get_default_memory_pool().get_limit())
"""
FILL = """
held = []
try:
    for _ in range({pieces}):
        held.append(cupy.empty(100 << 20, dtype="u1"))
    print("holds", len(held))
except cupy.cuda.memory.OutOfMemoryError as error:
    print("refused", len(held), error)
"""
BY_RMM = """
cupy.get_default_memory_pool().free_all_blocks()
others = []
try:
    for _ in range(40):
        others.append(rmm.DeviceBuffer(size=100 << 20))
except MemoryError as error:
    print("refused", len(others), type(error).__name__)
"""


def test_four_notebooks_share_a_gpu_and_the_greedy_one_gets_its_own_error(four):
    assert set(four[0].hub.seats().values()) == {GPU} and len(four[0].hub.seats()) == 4
    kernels = [learner.kernel() for learner in four]
    said = together(four, kernels, [BEGIN] * 4)
    assert all(f"has {GPU} {EACH}" in each for each in said), said
    # All at the same time: three take nearly all of their parts, the first wants far more than its own.
    greedy, *content = together(four, kernels, [FILL.format(pieces=100), *[FILL.format(pieces=19)] * 3])
    assert [each.strip() for each in content] == ["holds 19"] * 3, "in sum more than any one of them may have"
    number, sentence = re.match(r"refused (\d+) (.*)", greedy.strip()).groups()
    assert number == "19" and sentence.startswith("Out of memory allocating 104,857,600 bytes")
    assert f"limit set to: {EACH:,} bytes" in sentence, sentence
    # Nobody else notices, while it is still at its limit; and its kernel goes on once it has let go.
    check = "print(int(mine.sum()), float((mine * 2).max()))"
    assert {each.strip() for each in together(four[1:], kernels[1:], [check] * 3)} == {"1999999000000 3999998.0"}
    assert four[0].run(kernels[0], "del held\n" + check).strip() == "1999999000000 3999998.0"
    # What takes memory through RMM, as cuDF does, is held to the same.
    assert four[0].run(kernels[0], BY_RMM).strip() == "refused 20 MemoryError"
    for learner, kernel in zip(four, kernels, strict=True):
        learner.api("DELETE", f"kernels/{kernel}")


def together(learners, kernels, codes):
    """What each notebook says to its code, all running at the same time."""
    said = [None] * len(learners)

    def one(i):
        said[i] = learners[i].run(kernels[i], codes[i])

    threads = [threading.Thread(target=one, args=(i,)) for i in range(len(learners))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return said


@pytest.mark.parametrize(
    ("told", "set_", "said"),
    [
        ({}, {"gpu_memory": "8G"}, r"4 seats of 8\.6 GB .* do not fit GPU 0 .*, which has 16\.1 GB: at most 3\.5 GB for a seat"),
        ({}, {"gpu_memory": "1G"}, r"1\.07374 GB .*is less than 2 GB, .*give more"),
        ({"mode": "Exclusive_Process"}, {}, r"no more than one process in .*`sudo nvidia-smi -i 0 -c 0` opens it"),
        ({"mig": "Enabled"}, {}, r"MIG is on for GPU 0 .* not cut, so nobody can compute on it: `hundredfold seats plan"),
    ],
    ids=["more than there is", "too little", "exclusive", "MIG half done"],
)  # fmt: skip
def test_seats_that_the_gpu_cannot_give_are_refused_before_the_class(
    gpu, people, tmp_path, monkeypatch, told, set_, said
):
    hub = hubs.Hub(tmp_path, people, learners=4)
    given(hub.settings, **set_)
    gpu(**told)
    monkeypatch.setenv("HUNDREDFOLD_HUB", str(hub.settings))
    try:
        with pytest.raises(SystemExit) as ended:
            PyFileConfigLoader(str(hubs.DEPLOY / "jupyterhub_config.py")).load_config()
    finally:
        gpu()
    assert str(ended.value).startswith(str(hub.settings)) and re.search(said, str(ended.value)), ended.value
