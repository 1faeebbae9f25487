"""The values for Kubernetes: what the chart takes, what KubeSpawner makes of the profiles, and what NVIDIA's device plugin reads."""

import asyncio
import json
from pathlib import Path

import jsonschema
import pytest
import yaml
from kubespawner import KubeSpawner
from traitlets.config import Config

from hundredfold.classroom.seats import devices, limits, shared_gpus
from hundredfold.classroom.seats.plan import CONTEXT

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "deploy" / "hub" / "kubernetes"
#: The charts' own schemas and values, where they lie beside the checkout.
CHARTS = ROOT.parent / "shared" / "data"
#: The part of the chart's schema that names the keys which values.yaml sets, for everywhere else (zero-to-jupyterhub-k8s 48ea50e3).
EXCERPT = json.loads(Path(__file__).with_name("chart.json").read_text())
#: Of k8s-device-plugin, api/config/v1 (1b826acc): field names and types of what is set here; an unknown one is an error there.
PLUGIN = {
    "type": "object",
    "required": ["version"],
    "additionalProperties": False,
    "properties": {
        "version": {"const": "v1"},
        "flags": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "migStrategy": {"enum": ["none", "single", "mixed"]},
                "failOnInitError": {"type": "boolean"},
            },
        },
        "sharing": {
            "type": "object",
            "additionalProperties": False,
            "maxProperties": 1,  # time-slicing and MPS exclude each other
            "patternProperties": {
                "^(timeSlicing|mps)$": {
                    "type": "object",
                    "required": ["resources"],
                    "additionalProperties": False,
                    "properties": {
                        "renameByDefault": {"type": "boolean"},
                        "failRequestsGreaterThanOne": {"type": "boolean"},
                        "resources": {
                            "type": "array",
                            "items": {
                                "type": "object",
                                "required": ["name", "replicas"],
                                "additionalProperties": False,
                                "properties": {
                                    "name": {"type": "string", "pattern": r"^nvidia\.com/"},
                                    "replicas": {"type": "integer", "minimum": 2},
                                },
                            },
                        },
                    },
                }
            },
        },
    },
}


def read(name):
    return yaml.safe_load((FOLDER / name).read_text())


@pytest.fixture
def values():
    return read("values.yaml")


@pytest.fixture
def profiles(values):
    return {each["slug"]: each for each in values["singleuser"]["profileList"]}


# ---- the chart ----


def merged(theirs, ours):
    """Values as helm merges them: tables key by key, everything else replaced."""
    if not isinstance(theirs, dict) or not isinstance(ours, dict):
        return ours
    return {**theirs, **{key: merged(theirs.get(key), value) for key, value in ours.items()}}


def chart_problems(values):
    """What the chart's schema finds wrong: the whole of it where it is at hand, its excerpt everywhere."""
    found = [error.message for error in jsonschema.Draft7Validator(EXCERPT).iter_errors(values)]
    if (CHARTS / "z2jh").is_dir():
        schema, defaults = (
            yaml.safe_load((CHARTS / "z2jh" / name).read_text()) for name in ("values.schema.yaml", "values.yaml")
        )
        found += [error.message for error in jsonschema.Draft7Validator(schema).iter_errors(merged(defaults, values))]
    return found


def test_the_chart_takes_the_values(values):
    assert chart_problems(values) == []


@pytest.mark.parametrize(
    "spoil",
    [
        lambda v: v["singleuser"].update(profilelist=[]),
        lambda v: v["singleuser"].update(startTimeout="10m"),
        lambda v: v["cull"].update(after=3600),
        lambda v: v["prePuller"]["hook"].update(enable=True),
        lambda v: v["singleuser"]["networkPolicy"]["egressAllowRules"].update(everything=True),
        lambda v: v["proxy"].update(https="no"),
    ],
)
def test_values_with_a_mistake_are_refused_also_by_the_excerpt_alone(values, spoil):
    spoil(values)
    assert list(jsonschema.Draft7Validator(EXCERPT).iter_errors(values))


def test_the_excerpt_is_what_the_chart_says():
    if not (CHARTS / "z2jh").is_dir():
        pytest.skip("the chart's schema is not beside this checkout, so its excerpt stands for it")
    whole = yaml.safe_load((CHARTS / "z2jh" / "values.schema.yaml").read_text())
    assert excerpt(whole, read("values.yaml")) == EXCERPT


def excerpt(schema, values):
    """Of a schema what concerns these values: names and types, no text, nothing that they must have."""
    kept = {key: schema[key] for key in ("type", "additionalProperties", "enum", "pattern") if key in schema}
    if isinstance(kept.get("additionalProperties"), dict):
        kept["additionalProperties"] = excerpt(kept["additionalProperties"], None)
    if "properties" in schema:
        # All names, so that a wrong one is found; what is in them only where it is set.
        kept["properties"] = {
            name: excerpt(part, values[name]) if isinstance(values, dict) and name in values else {}
            for name, part in schema["properties"].items()
        }
    return kept


def test_a_chart_whose_image_gets_the_course_ready_does_not_replace_its_command(values):
    assert values["singleuser"]["cmd"] is None


def test_images_have_fixed_tags(values, profiles):
    names = [f"{values['singleuser']['image']['name']}:{values['singleuser']['image']['tag']}"]
    names += [
        each["kubespawner_override"]["image"] for each in profiles.values() if "image" in each["kubespawner_override"]
    ]
    import hundredfold

    assert names and all(name.endswith(f"-{hundredfold.__version__}") for name in names)


def test_no_neighbour_reaches_a_server_and_the_metadata_of_the_cloud_are_closed(values):
    policy = values["singleuser"]["networkPolicy"]
    assert policy["enabled"] and policy["ingress"] == [] and policy["allowedIngressPorts"] == []
    assert not policy["egressAllowRules"]["privateIPs"] and not policy["egressAllowRules"]["cloudMetadataServer"]


def test_a_hub_without_a_password_does_not_start(values, monkeypatch):
    code = values["hub"]["extraConfig"]["10-password"]
    for password, kind, starts in (
        ("", "dummy", False),
        ("open sesame", "dummy", True),
        ("", "oauthenticator.Generic", True),
    ):
        monkeypatch.setenv("CLASS_PASSWORD", password)
        config = Config(JupyterHub={"authenticator_class": kind})
        try:
            exec(code, {"c": config})
            assert starts, "everybody could log in"
            assert kind != "dummy" or config.DummyAuthenticator.password == password
            # Whoever knows the shared password can log in under any name, an admin's too.
            assert (
                "admin_users" not in config.Authenticator
                and "admin_access" not in values["hub"]["config"]["JupyterHub"]
            )
        except SystemExit as stop:
            assert not starts and "class-password" in str(stop)


# ---- what KubeSpawner makes of it ----


@pytest.fixture(autouse=True)
def cluster(tmp_path_factory, monkeypatch):
    """KubeSpawner wants to know a cluster before it writes a manifest; it talks to none here."""
    file = tmp_path_factory.mktemp("kube") / "config"
    named = {
        "name": "none",
        "cluster": {"server": "http://127.0.0.1:9"},
        "context": {"cluster": "none", "user": "none"},
        "user": {},
    }
    entries = {kind + "s": [{"name": "none", kind: named[kind]}] for kind in ("cluster", "context", "user")}
    file.write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "Config", "current-context": "none", **entries}))
    from kubernetes_asyncio.config import kube_config

    monkeypatch.setattr(kube_config, "KUBE_CONFIG_DEFAULT_LOCATION", str(file))
    monkeypatch.setenv("KUBECONFIG", str(file))


def pod(values, slug):
    """The pod of a learner who chose this profile, as KubeSpawner itself makes it."""
    user = values["singleuser"]
    config = Config()
    config.KubeSpawner.image = f"{user['image']['name']}:{user['image']['tag']}"
    config.KubeSpawner.profile_list = user["profileList"]
    # As the chart hands these on.
    config.KubeSpawner.uid, config.KubeSpawner.fs_gid = user["uid"], user["fsGid"]
    config.KubeSpawner.cmd = user["cmd"] or []
    config.KubeSpawner.environment = user["extraEnv"]
    config.KubeSpawner.mem_limit, config.KubeSpawner.mem_guarantee = (
        user["memory"]["limit"],
        user["memory"]["guarantee"],
    )
    config.KubeSpawner.cpu_limit, config.KubeSpawner.cpu_guarantee = user["cpu"]["limit"], user["cpu"]["guarantee"]

    async def make():
        spawner = KubeSpawner(config=config, _mock=True)
        spawner.user_options = {"profile": slug}
        await spawner.load_user_options()
        return await spawner.get_pod_manifest()

    return asyncio.run(make())


def environment(made):
    return {
        each.name if hasattr(each, "name") else each["name"]: each.value if hasattr(each, "value") else each["value"]
        for each in made.spec.containers[0].env
    }


def test_every_override_is_one_of_kubespawners_traits(profiles):
    known = set(KubeSpawner.class_traits(config=True))
    for slug, each in profiles.items():
        assert set(each["kubespawner_override"]) <= known, slug


@pytest.mark.parametrize(
    ("slug", "resource"),
    [("cpu", None), ("gpu-shared", "nvidia.com/gpu.shared"), ("gpu-mig", "nvidia.com/mig-1g.10gb")],
)
def test_a_profile_asks_for_its_gpu_and_for_no_other(values, slug, resource):
    container = pod(values, slug).spec.containers[0]
    asked = {name: amount for name, amount in container.resources.limits.items() if name.startswith("nvidia.com/")}
    assert asked == ({resource: "1"} if resource else {})
    # Extended resources are asked for by their limits; a request that differed would be refused.
    assert not any(name.startswith("nvidia.com/") for name in container.resources.requests or {})
    assert container.image.rpartition(":")[2].startswith("cu12" if resource else "cpu")


def test_the_simulated_seat_keeps_half_of_its_memory_for_the_host(values):
    made = pod(values, "cpu")
    set_, memory = environment(made), limits.size(values["singleuser"]["memory"]["limit"])
    device = int(set_["GPUSIM_GPU_MEMORY"]) * int(set_["GPUSIM_GPUS"])
    assert device <= memory / 2
    assert set_["OMP_NUM_THREADS"] == "2", "the settings of all seats are there, too"


def test_learners_on_one_gpu_together_take_no_more_than_it_has(values):
    """Four on an L4, of 24 GB by NVIDIA's data sheet: their arrays and what CUDA itself takes of each."""
    sharing = yaml.safe_load(read("device-plugin-time-slicing.yaml")["config"]["map"]["default"])["sharing"][
        "timeSlicing"
    ]
    seats = sharing["resources"][0]["replicas"]
    (board,) = shared_gpus.named("1xL4")
    each = int(environment(pod(values, "gpu-shared"))["CUPY_GPU_MEMORY_LIMIT"])
    assert seats * (each + CONTEXT) <= board.memory


def test_a_slices_limit_fits_into_the_slice(values, profiles):
    (resource,) = profiles["gpu-mig"]["kubespawner_override"]["extra_resource_limits"]
    name = resource.removeprefix("nvidia.com/mig-")
    (board,) = shared_gpus.named("1xH100")
    assert name in board.slices, "a profile that NVIDIA's tables have"
    each = int(environment(pod(values, "gpu-mig"))["CUPY_GPU_MEMORY_LIMIT"])
    assert each + CONTEXT <= shared_gpus.slice_memory(name)


@pytest.mark.parametrize("slug", ["gpu-shared", "gpu-mig"])
def test_a_gpu_seat_has_the_limits_that_the_spawners_hook_sets(values, slug):
    """All that `hundredfold.classroom.seats.limits` sets on one machine, but for what the device plugin does here."""
    place = devices.Place("GPU-0", "GPU 0", 5_000_000_000, 4, "time-slicing")
    wanted = set(limits.environment(place, limits.Limits(8 << 30, 4))) - {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"}
    set_ = environment(pod(values, slug))
    assert wanted <= set(set_)
    assert set_["CUPY_GPU_MEMORY_LIMIT"] == set_["HUNDREDFOLD_SEAT_MEMORY"] and set_["CUDF_PANDAS_RMM_MODE"] == "cuda"


# ---- the device plugin ----


@pytest.mark.parametrize("name", ["time-slicing", "mps", "mig"])
def test_the_device_plugin_reads_its_settings(name):
    values = read(f"device-plugin-{name}.yaml")
    assert set(values["config"]["map"]) == {values["config"]["default"]}
    jsonschema.validate(yaml.safe_load(values["config"]["map"]["default"]), PLUGIN)


@pytest.mark.parametrize("name", ["timeSlicing", "mps"])
def test_what_shared_gpus_are_called_is_what_the_profile_asks_for(profiles, name):
    """`renameByDefault` adds .shared to the name; without it a pod that wants a whole GPU would get a quarter in silence."""
    file = {"timeSlicing": "time-slicing", "mps": "mps"}[name]
    sharing = yaml.safe_load(read(f"device-plugin-{file}.yaml")["config"]["map"]["default"])["sharing"][name]
    assert sharing["renameByDefault"] is True
    offered = {f"{each['name']}.shared" for each in sharing["resources"]}
    assert offered == set(profiles["gpu-shared"]["kubespawner_override"]["extra_resource_limits"])
