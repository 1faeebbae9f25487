"""Unit 14: answers that the problems do not know, written differently from those they do.

One more wrong answer of each kind, which must be refused for the same reason, and more right ones, which must be accepted.
"""

import asyncio
import copy
import math
import shutil
import ssl
from fractions import Fraction
from pathlib import Path

import pytest
from answers.deploying import script as known_script
from answers.second import Answers
from distributed import Scheduler, Security

from hundredfold.learning import problems
from hundredfold.learning.problems.deploying import amdahl, certificates, door, place, plan, slurm, wheels
from hundredfold.learning.problems.deploying import scheduler as trying

SECOND = Answers("deploying")

# ---- deploying.wheels and deploying.place: decisions ----

DECISIONS = [
    ("wheels", "outdated", {"h100": "none"}),
    ("wheels", "capability", {"v100": " CU13 "}),
    ("wheels", "capability", {"p100": "cu13"}),
    ("wheels", "driver", {"t4": "cu13"}),
    ("wheels", "driver", {"container": "none"}),
    ("wheels", "labels", {"a100": "cuda12"}),
    ("wheels", "labels", {"laptop": "cu12"}),
    ("wheels", "value", dict.fromkeys(wheels.MACHINES, "none")),
    ("place", "queue", {"question": "Cluster"}),
    ("place", "distributed", {"filter": "cluster", "overnight": "cluster"}),
    ("place", "undistributed", {"sweep": "cpu"}),
    ("place", "unfit", {"matrix": "cpu"}),
    ("place", "unfit", {"archive": "gpu"}),
    ("place", "crumbs", {"crumbs": "gpu"}),
    ("place", "labels", {"sweep": 3}),
    ("place", "always-gpu", dict.fromkeys(place.JOBS, "GPU")),
    ("place", "always-cpu", dict.fromkeys(place.JOBS, "cpu ")),
]


@pytest.mark.large
@pytest.mark.counted("other wrong answers refused")
@pytest.mark.parametrize(("problem", "reason", "other"), DECISIONS)
def test_a_wrong_decision_is_refused_for_its_reason(problem, reason, other):
    right = problems.find(f"deploying.{problem}").judge.right
    verdict = problems.judge(f"deploying.{problem}", {**right, **other})
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


@pytest.mark.parametrize(("label", "said"), [("cluster", "question"), ("gpu", "matrix"), ("cpu", "sweep")])
def test_one_place_for_everything_is_answered_with_a_job_and_its_times(label, said):
    why = problems.judge("deploying.place", dict.fromkeys(place.JOBS, label)).why
    assert f'"{said}"' in why and place.PLACE.judge.items[said].why in why, why


@pytest.mark.parametrize("problem", ["wheels", "place"])
def test_decisions_must_be_a_dict(problem):
    assert problems.judge(f"deploying.{problem}", ("cu13",)).reason == "type"


def test_the_machines_by_the_published_tables():
    """NVIDIA's table of drivers and RAPIDS' of GPUs, written down once more."""
    expected = {}
    for name, (driver, cc, *_) in wheels.MACHINES.items():
        series, capability = int(driver.split(".")[0]), tuple(map(int, cc.split(".")))
        if series >= 580 and capability >= (7, 5):
            expected[name] = "cu13"
        else:
            expected[name] = "cu12" if series >= 525 and capability >= (7, 0) else "none"
    assert wheels.WHEELS.judge.right == expected and set(expected.values()) == {"cu13", "cu12", "none"}


def test_the_times_at_each_place_as_reckoned_by_hand():
    hand = {
        "question": {"cpu": 8, "cluster": 1501},
        "filter": {"cpu": 900, "gpu": 30.5, "cluster": 1301.34},
        "sweep": {"cpu": 2_592_000, "gpu": 129_600.1, "cluster": 4_460},
        "matrix": {"cluster": 1200 + 720 * (0.02 + 0.98 / 40)},
        "archive": {"cpu": 1500, "cluster": 1200 + 600 + 500 * (0.02 + 0.98 / 40)},
        "crumbs": {"cpu": 600, "gpu": 1200.05, "cluster": 1210 + 3000},
        "overnight": {"cpu": 28_800, "gpu": 1153, "cluster": 1400 + 1152 * (0.3 + 0.7 / 40)},
    }
    assert set(hand) == set(place.JOBS)
    for name, seconds in hand.items():
        found = place.JOBS[name].times
        assert found.keys() == seconds.keys()
        assert all(found[where] == pytest.approx(seconds[where], rel=1e-3) for where in seconds), name
        assert place.PLACE.judge.right[name] == min(seconds, key=seconds.get)


def test_no_decision_hangs_on_a_few_percent():
    for name, job in place.JOBS.items():
        first, *others = sorted(job.times.values())
        assert all(other > 1.15 * first for other in others), name


# ---- deploying.amdahl ----

EXACT = (0.1, 93.75, 10, 11, 1.25)
PREDICTIONS = [
    ("undivided", {0: Fraction(195, 600)}),
    ("undivided", {1: 37.5}),
    ("undivided", {2: 16}),
    ("undivided", {4: 0.5}),
    ("complement", {0: 0.9}),
    ("once", {2: 6.4}),
    ("once", {4: 0.0781}),
    ("offset", {3: 10}),
    ("operands", {3: 5}),
    ("unit", {0: 10}),
    ("unit", {1: 0.09375}),
    ("unit", {4: 48}),
    ("value", {1: 150}),
    ("type", {2: "ten"}),
]


@pytest.mark.large
@pytest.mark.counted("other wrong answers refused")
@pytest.mark.parametrize(("reason", "other"), PREDICTIONS)
def test_a_wrong_prediction_is_refused_for_its_reason(reason, other):
    given = [other.get(number, value) for number, value in enumerate(EXACT)]
    verdict = problems.judge("deploying.amdahl", *given)
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


def test_the_law_gives_back_what_was_measured():
    def took(n):
        return amdahl.ONE * (amdahl.SERIAL + (1 - amdahl.SERIAL) / n)

    assert took(1) == pytest.approx(600) and took(4) == pytest.approx(195)
    assert took(16) == pytest.approx(EXACT[1]) == pytest.approx(amdahl.SECONDS)
    assert took(1) / took(10**9) == pytest.approx(amdahl.MOST, rel=1e-6)
    assert took(1) / took(11) == pytest.approx(11 / 2) and pytest.approx(11) == amdahl.HALF
    assert 16 * took(16) / 3600 * 3 == pytest.approx(amdahl.DOLLARS)


# ---- deploying.script ----

FITTING = """#!/bin/bash -l
#SBATCH -p gpu
#SBATCH -N2 --ntasks=2
#SBATCH -c 16
#SBATCH --gpus-per-node=4   # all of them
#SBATCH --mem-per-cpu=4G
#SBATCH -t 0-1:40
export PYTHONUNBUFFERED=1
srun -u dask cuda worker tcp://10.0.0.1:8786 --memory-limit=15GiB --death-timeout "2 minutes"
"""


def but(*changes, text=FITTING):
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


SCRIPTS = [
    ("ignored", but(("#SBATCH -t 0-1:40\nexport PYTHONUNBUFFERED=1", "export PYTHONUNBUFFERED=1\n#SBATCH -t 0-1:40"))),
    ("walltime", but(("0-1:40", "1:40"))),
    ("walltime", but(("0-1:40", "89"))),
    ("walltime", but(("0-1:40", "2-0"))),
    ("walltime", but(("0-1:40", "10:00:00"))),
    ("walltime", but(("0-1:40", "90min"))),
    ("walltime", but(("#SBATCH -t 0-1:40\n", ""))),
    ("unit", but(("--mem-per-cpu=4G", "--mem-per-cpu=4"))),
    ("unit", but(("--mem-per-cpu=4G", "--mem 65536K"))),
    ("unit", but(("--mem-per-cpu=4G", "--mem=64GiB"))),
    ("unit", but(("#SBATCH --mem-per-cpu=4G\n", ""))),
    ("oversubscribed", but(("--ntasks=2", "--ntasks=8"), ("-c 16", "-c 4"))),
    ("oversubscribed", but(("srun -u", "srun --ntasks-per-node=2"))),
    ("oversubscribed", but(("#SBATCH -c 16\n", ""), ("--mem-per-cpu=4G", "--mem=64G"))),
    ("overcommitted", but(("15GiB", "0.9"))),
    ("overcommitted", but(("15GiB", "0"))),
    ("overcommitted", but(("--mem-per-cpu=4G", "--mem=96G"))),
    ("overcommitted", but(("-c 16", "-c 32"), ("--mem-per-cpu=4G", "--mem=64G"))),
    ("overcommitted", but(("gpus-per-node=4", "gpus-per-node=a100:8"))),
    ("idle", but(("--gpus-per-node=4", "--gres=gpu:1"))),
    ("idle", but(("#SBATCH --gpus-per-node=4   # all of them\n", ""))),
    ("idle", but(("-N2 --ntasks=2", "-N4 --ntasks=4"))),
    ("idle", but(("15GiB", "2GiB"))),
    ("one-node", but(("-N2 --ntasks=2", "-N 1 -n 1"))),
    ("one-node", but(("srun -u ", ""))),
    ("one-node", but(("srun -u", "srun -N1"))),
    ("forever", but((' --death-timeout "2 minutes"', ""))),
    ("forever", but(("2 minutes", "90 minutes"))),
    ("processes", but(("dask cuda worker", "dask worker"))),
    ("value", but(("#!/bin/bash -l\n", ""))),
    ("value", FITTING.replace("\n", "\r\n")),
    ("value", but(("--gpus-per-node=4", "--gpus-on-node=4"))),
    ("value", but(("-N2 --ntasks=2", "-N2 --ntasks"))),
    ("value", but(("--memory-limit", "--memory_limit"))),
    ("value", but(("srun -u", "srun --workers"))),
    ("partition", but(("-p gpu", "-p cpu"))),
    ("idle", but(("-c 16", "-c 12"), ("--mem-per-cpu=4G", "--mem=64G"))),
    ("one-node", but(("srun -u", "srun -u --ntasks=1"))),
    ("background", but(('"2 minutes"', '"2 minutes" &\nsleep 5'))),
    ("forever", but(("tcp://10.0.0.1:8786 ", ""))),
    ("forever", but(("2 minutes", "0"))),
    ("value", but(("srun -u dask cuda worker", "srun -u python svd.py"))),
    ("value", but(('"2 minutes"', '"2 minutes'))),
    ("type", FITTING.encode()),
]


@pytest.mark.large
@pytest.mark.counted("other wrong answers refused")
@pytest.mark.parametrize(("reason", "text"), SCRIPTS, ids=[f"{i}-{reason}" for i, (reason, _) in enumerate(SCRIPTS)])
def test_a_wrong_script_is_refused_for_its_reason(reason, text):
    verdict = problems.judge("deploying.script", text)
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("#SBATCH --gres=gpu:4\n", "", "it asks for no GPU at all; a node has 4. All of them would stand idle."),
        ("gpu:4", "gpu:1", "it asks for 1 GPU on each node; a node has 4. The other GPUs would stand idle."),
        ("--mem=64G", "--mem-per-cpu=64G", "is 1024 GiB of a node"),
        ("16GiB", "17.2GB", "may then take 64.07 GiB of the 64 GiB"),
        ("16GiB", "16", "--memory-limit 16 is 16 bytes"),
        ("json \\\n", "json\n", "`--memory-limit` begins a line of its own"),
    ],
)
def test_what_is_said_of_a_script_is_true_of_it(old, new, said):
    assert said in problems.judge("deploying.script", but((old, new), text=known_script.SOLUTION)).why


@pytest.mark.parametrize(
    "text",
    [
        FITTING,
        but(("--mem-per-cpu=4G", "--mem=0")),
        but(("--mem-per-cpu=4G", "--mem-per-gpu=16G"), ("15GiB", "auto")),
        but(("-t 0-1:40", "--time=2:00:00"), ("--memory-limit=15GiB", "--memory-limit 0.25")),
        but(("-N2 --ntasks=2", "--nodes 2 --ntasks-per-node 1"), ("#SBATCH -c 16", "#SBATCH -c16"), ("=4G", "=4096M")),
        but(("srun -u dask cuda worker", "srun \\\n  python -m dask_cuda.cli worker")),
        but(('"2 minutes"', '"2 minutes" > log.txt 2>&1 &\nwait')),
        but(("srun -u", "FLAGS='-u --export=ALL'\nif true; then exec srun $FLAGS"), ('"2 minutes"', '"2 minutes"\nfi')),
        but(
            (
                "tcp://10.0.0.1:8786",
                '$(python3 -c \'import json; print(json.load(open("scheduler.json"))["address"])\')',
            )
        ),
        but(("#SBATCH -c 16", "#SBATCH --cpus-per-g=4"), ("=4G", "=4096")),
        known_script.SOLUTION.replace("--gres=gpu:4", "--gpus=8").replace("01:30:00", "90:00"),
    ],
)
def test_another_right_script_is_accepted(text):
    verdict = problems.judge("deploying.script", text)
    assert verdict.right, verdict.why


def test_what_was_given_has_six_mistakes_each_with_its_own_reason():
    """Fixed one after the other, each time the next one is named; after the sixth nothing is left."""
    text, reasons = known_script.GIVEN, []
    fixing = [
        ("module load cuda\n#SBATCH --mem=64\n", "module load cuda\n"),
        ("#SBATCH --time=1:30", "#SBATCH --time=1:30:00"),
        ("#SBATCH --gres", "#SBATCH --mem=64G\n#SBATCH --gres"),
        ("per-node=4", "per-node=1"),
        ("per-task=4", "per-task=16"),
        ("64GB", "16GiB --death-timeout 120"),
    ]
    for old, new in fixing:
        reasons.append(problems.judge("deploying.script", text).reason)
        text = but((old, new), text=text)
    assert reasons == ["ignored", "walltime", "unit", "oversubscribed", "idle", "overcommitted"]
    assert problems.judge("deploying.script", text).right


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 5400),
        ("90:00", 5400),
        ("1:30", 90),
        ("1:30:00", 5400),
        ("1-0", 86_400),
        ("0-1:30", 5400),
        ("1-2:03:04", 93_784),
    ],
)
def test_a_time_means_what_slurm_says(text, seconds):
    """The forms of `--time` in the manual page of sbatch."""
    assert slurm.seconds(text) == seconds


@pytest.mark.parametrize(
    ("text", "nbytes"), [("64", 64 << 20), ("64M", 64 << 20), ("64G", 64 << 30), ("1T", 1 << 40), ("9K", 9216)]
)
def test_a_size_without_a_unit_is_in_megabytes(text, nbytes):
    assert slurm.size(text) == nbytes


@pytest.mark.parametrize("text", ["", "1:2:3:4", "soon", "-5", "1-"])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(ValueError):
        slurm.seconds(text)


# ---- deploying.door ----


def security(folder, roles=("scheduler", "worker", "client"), required=True):
    found = {f"tls_{role}_{part}": f"{folder}/{part}.pem" for role in roles for part in ("cert", "key")}
    return Security(tls_ca_file=f"{folder}/ca.pem", require_encryption=required, **found)


@SECOND.wrong("door", "stranger")
def forgotten(host, folder):
    return {"host": host, "protocol": "tls", "dashboard_address": "localhost:0", "security": None}


@SECOND.wrong("door", "everywhere")
def six(host, folder):
    return {"host": "::", "protocol": "tls", "dashboard": False, "security": security(folder)}


@SECOND.wrong("door", "unencrypted")
def old_protocol(host, folder):
    return {"host": host, "protocol": "tcp://", "dashboard": False, "security": security(folder)}


@SECOND.wrong("door", "unencrypted")
def not_required(host, folder):
    return {"host": host, "protocol": "tls", "dashboard": False, "security": security(folder, required=False)}


@SECOND.wrong("door", "dashboard")
def for_the_group(host, folder):
    return {"host": host, "protocol": "tls", "dashboard_address": "0.0.0.0:0", "security": security(folder)}


@SECOND.wrong("door", "literal")
def by_name(host, folder):
    return {"host": "localhost", "protocol": "tls", "dashboard": False, "security": security(folder)}


@SECOND.wrong("door", "exception")
def no_certificate_of_the_scheduler(host, folder):
    return {"host": host, "protocol": "tls", "dashboard": False, "security": security(folder, roles=("client",))}


@SECOND.wrong("door", "exception")
def unknown_argument(host, folder):
    return {"host": host, "protocol": "tls", "dashboard": False, "security": security(folder), "password": "secret"}


@SECOND.wrong("door", "own")
def another_authority(host, folder):
    other = Path(folder).parent / "made-anew"
    shutil.rmtree(other, ignore_errors=True)
    certificates.write(other)
    return {"host": host, "protocol": "tls", "dashboard": False, "security": security(str(other))}


BY_NAME = {}


@SECOND.wrong("door", "kept")
def made_once_for_a_name(host, folder):
    if host not in BY_NAME:
        BY_NAME[host] = {"host": host, "protocol": "tls", "dashboard": False, "security": security(folder)}
    return dict(BY_NAME[host])


@SECOND.wrong("door", "type")
def scheduler_itself(host, folder):
    return security(folder)


@SECOND.right("door")
def tls_with_slashes(host, folder):
    return {"protocol": "tls://", "host": host, "dashboard_address": "localhost:0", "security": security(Path(folder))}


@SECOND.right("door")
def dask_chooses_tls_where_encryption_is_required(host, folder):
    return {"host": host, "protocol": None, "dashboard": False, "security": security(folder)}


def test_encryption_that_is_not_required_is_told_as_that_with_a_protocol_or_without():
    for protocol in ({}, {"protocol": "tls"}):
        given = {"dashboard": False, **protocol}
        verdict = problems.judge(
            "deploying.door",
            lambda host, folder, given=given: {"host": host, "security": security(folder, required=False), **given},
        )
        assert verdict.reason == "unencrypted" and "require_encryption=True" in verdict.why, verdict.why


@SECOND.right("door")
def only_what_a_scheduler_needs(host, folder):
    secure = security(folder, roles=("scheduler",))
    return {"host": host, "protocol": "tls", "security": secure, "dashboard": False, "dashboard_address": None}


@pytest.mark.parametrize(
    ("address", "said"), [(None, "means port 8787"), (False, "8787 on all addresses"), ("", "8787 on all addresses")]
)
def test_an_empty_address_does_not_switch_the_dashboard_off(address, said):
    """As the page and the verdict say: a scheduler that gets one still has its web server, and for `False` and "" on all addresses."""
    given = {"protocol": "tls", "dashboard_address": address}
    verdict = problems.judge(
        "deploying.door", lambda host, folder: {"host": host, "security": security(folder), **given}
    )
    assert verdict.reason == "dashboard" and said in verdict.why, verdict.why

    async def bound():
        async with Scheduler(host="127.0.0.1", port=0, dashboard_address=address) as scheduler:
            return list(trying._names(scheduler.http_server))

    names = asyncio.run(bound())
    assert names and all(name.startswith("127.") for name in names) == (address is None)


def test_a_certificate_is_one_that_openssl_takes(tmp_path):
    ours, theirs = certificates.write(tmp_path / "ours"), certificates.write(tmp_path / "theirs")
    for folder in (ours, theirs):
        assert oct(folder.stat().st_mode)[-3:] == "700" and oct((folder / "key.pem").stat().st_mode)[-3:] == "600"
        context = ssl.create_default_context(cafile=folder / "ca.pem")
        context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
        (found,) = context.get_ca_certs()
        assert dict(part[0] for part in found["subject"]) == {"commonName": "dask"} and found["version"] == 3
    with pytest.raises(ssl.SSLError):
        ssl.create_default_context().load_cert_chain(ours / "cert.pem", theirs / "key.pem")


def test_the_base_point_lies_on_the_curve_and_has_its_order():
    x, y = certificates.G
    b = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
    assert (y * y - x**3 + 3 * x - b) % certificates.P == 0
    assert certificates._times(certificates.N - 1, certificates.G) == (x, certificates.P - y)


# ---- deploying.plan ----


def search(job, offers, keep=lambda job, offer, n, seconds: True, by=None, round_up=True):
    """The cheapest by a loop over numbers first, with everything that can go wrong as an argument."""
    best = None
    for n in range(1, max(offer["most"] for offer in offers) + 1):
        for offer in offers:
            seconds = job["start"] + (job["serial"] + job["parallel"] / n) / offer["speed"]
            if n > offer["most"] or seconds > job["deadline"] or n * offer["memory"] < job["memory"]:
                continue
            minutes = math.ceil(round(seconds / 60, 9)) if round_up else seconds / 60
            paid = by(offer, n, seconds) if by else n * minutes * offer["price"]
            if best is None or paid < best[0]:
                best = (paid, offer["name"], n)
    return best and best[1:]


@SECOND.right("plan")
def loop_over_numbers(job, offers):
    return search(job, offers)


@SECOND.right("plan")
def in_whole_cents(job, offers):
    found = search(job, offers, by=lambda o, n, s: n * math.ceil(round(s / 60, 9)) * Fraction(str(o["price"])))
    return found and list(found)


@SECOND.wrong("plan", "fastest")
def least_time(job, offers):
    return search(job, offers, by=lambda offer, n, seconds: seconds)


@SECOND.wrong("plan", "billing")
def by_the_second(job, offers):
    return search(job, offers, round_up=False)


@SECOND.wrong("plan", "billing")
def the_first_number_in_time(job, offers):
    plans = []
    for offer in offers:
        numbers = (n for n in range(1, offer["most"] + 1) if plan.fits(job, offer, n))
        if n := next(numbers, None):
            plans.append((plan.cost(job, offer, n), n, offer["name"]))
    return min(plans)[:0:-1] if plans else None


@SECOND.wrong("plan", "cheapest-hour")
def cheap_per_hour(job, offers):
    return search(job, offers, by=lambda offer, n, seconds: n * offer["price"])


@SECOND.wrong("plan", "dear")
def most_machines(job, offers):
    last = None
    for offer in offers:
        for n in range(1, offer["most"] + 1):
            if plan.fits(job, offer, n):
                last = (offer["name"], n - 1 if plan.fits(job, offer, n - 1) else n)
    return last


@SECOND.wrong("plan", "deadline")
def all_divided(job, offers):
    return search({**job, "serial": 0, "parallel": job["parallel"] + job["serial"]}, offers)


@SECOND.wrong("plan", "deadline")
def ready_at_once(job, offers):
    return search({**job, "start": 0}, offers)


@SECOND.wrong("plan", "unfit")
def memory_of_one_for_all(job, offers):
    return search({**job, "memory": 0}, offers)


@SECOND.wrong("plan", "unavailable")
def as_many_as_it_takes(job, offers):
    return search(job, [{**offer, "most": 500} for offer in offers])


@SECOND.wrong("plan", "lost")
def each_holds_everything(job, offers):
    fitting = [offer for offer in offers if offer["memory"] >= job["memory"]]
    return search(job, fitting) if fitting else None


@SECOND.wrong("plan", "boundary")
def with_a_second_to_spare(job, offers):
    return search({**job, "deadline": job["deadline"] - 1e-3}, offers)


@SECOND.wrong("plan", "type")
def three_things(job, offers):
    found = search(job, offers)
    return found and (*found, 0.0)


@SECOND.wrong("plan", "type")
def half_a_machine(job, offers):
    found = search(job, offers)
    return found and (found[0], found[1] - 0.5)


@SECOND.wrong("plan", "labels")
def the_offer_itself(job, offers):
    return "h100", 1


@SECOND.wrong("plan", "aliasing")
def sorts_the_offers(job, offers):
    offers.sort(key=lambda offer: -offer["price"])
    return search(job, offers)


def test_the_specification_is_what_trying_everything_finds():
    for name, (job, offers) in plan.CASES.items():
        costs = [
            (n * math.ceil(round(s / 60, 9)) / 60 * offer["price"], offer["name"], n)
            for offer in offers
            for n in range(1, offer["most"] + 1)
            if (s := job["start"] + job["serial"] / offer["speed"] + job["parallel"] / offer["speed"] / n)
            <= job["deadline"] + 1e-9
            and offer["memory"] * n >= job["memory"]
        ]
        found = plan.plan(*copy.deepcopy((job, offers)))
        assert (found is None) == (not costs), name
        if costs:
            assert plan._cost(job, offers, found) == pytest.approx(min(costs)[0]), name
            assert plan.limit(job, offers) <= min(costs)[0]


def test_of_a_plan_that_is_late_without_its_start_or_its_serial_part_both_are_said():
    why = problems.judge("deploying.plan", ready_at_once).why
    assert "serial part is not divided" in why or "have to start first" in why
    job, offers = plan.CASES["much that is serial, and a near deadline"]
    late = problems.judge(
        "deploying.plan", lambda given, all_offers: ("H100", 4) if given == job else search(given, all_offers)
    )
    assert "Its serial part is not divided among them. They have to start first." in late.why


def test_a_plan_of_the_least_price_an_hour_takes_longer():
    why = problems.judge("deploying.plan", cheap_per_hour).why
    assert why.endswith("It costs least in an hour, but takes longer.")


def test_how_near_to_the_limit_is_said():
    assert problems.judge("deploying.plan", plan.plan).near.startswith("How near to the limit: ")


# ---- the functions ----


test_another_wrong_answer_is_refused_for_its_reason, test_another_right_answer_is_accepted = SECOND.tests()


@pytest.mark.parametrize("problem", ["deploying.door", "deploying.plan"])
def test_an_empty_function_is_not_attempted(problem):
    assert problems.judge(problem, lambda *given: None).outcome == problems.judge(problem, ...).outcome == "untouched"


def test_a_script_that_is_a_gap_is_not_attempted():
    assert problems.judge("deploying.script", ...).outcome == "untouched"


def test_every_reason_a_problem_knows_has_a_second_answer_here():
    SECOND.also("amdahl", *(reason for reason, _ in PREDICTIONS))
    SECOND.also("script", *(reason for reason, _ in SCRIPTS))
    for problem in ("wheels", "place"):
        SECOND.also(problem, "type", *(reason for name, reason, _ in DECISIONS if name == problem))
    assert not SECOND.absent()


def test_the_door_is_judged_while_a_notebook_is_busy_in_its_own_loop():
    """As in JupyterLab, where an event loop runs in the thread that asks."""
    import asyncio

    async def cell():
        return problems.judge("deploying.door", door.solution)

    assert asyncio.run(cell()).right
