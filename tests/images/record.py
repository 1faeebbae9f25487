"""Build an image with CUDA's libraries, once for each change of its lock, and write down in docker/built.json what it is. As root:

    .venv/bin/python tests/images/record.py cu13
    .venv/bin/python tests/images/record.py cu13 --environment PYTHON     # no image: a Python that has the lock's packages

There need not be a GPU: what can be imported without a driver is recorded as well as what cannot. HUNDREDFOLD_IMAGES=FOLDER keeps the
image, HUNDREDFOLD_UV_CACHE=FOLDER lends the build what uv has fetched before.
"""

import argparse
import hashlib
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

from container import ROOT, Store

RECORD = ROOT / "docker" / "built.json"
IMPORTS = Path(__file__).with_name("imports.py")
MODULES = (
    "numpy cupy cupyx.scipy.sparse numba.cuda numba_cuda rmm pylibcudf cudf cudf.pandas dask_cudf dask_cuda".split()
)


def lock_of(target):
    """What an image's libraries follow from, as one number."""
    return hashlib.sha256((ROOT / "requirements" / f"{target}.txt").read_bytes()).hexdigest()


def cache(store):
    """Options that lend the build a copy of uv's cache, made of hard links: a build empties what it is given."""
    given = os.environ.get("HUNDREDFOLD_UV_CACHE")
    if not given:
        return []
    copy = store.folder / "uv-cache"
    subprocess.run(["rm", "-rf", copy], check=True)
    subprocess.run(["cp", "-al", given, copy], check=True)
    return [f"--volume={copy}:/tmp/uv-cache"]


def built(target):
    """Build the image; what imports.py says in it, how large it is, and what building it took."""
    store = Store()
    try:
        took = store.build(target, *cache(store))
        image = store.image(target)
        with tempfile.TemporaryDirectory(dir="/var/tmp") as home:
            os.chown(home, 1000, 100)
            python = "/opt/hundredfold/bin/python"
            done = image.container(home).run(python, "-", *MODULES, input=IMPORTS.read_text(), timeout=3600)
        assert done.returncode == 0, done.stderr
        entry = {"how": "image", "bytes": image.size()}
        if took:
            entry["build"] = {"seconds": round(took), "load": round(os.getloadavg()[0], 1)}
        return json.loads(done.stdout.splitlines()[-1]), entry
    finally:
        store.close()


def installed(python):
    """The same of an environment that has the lock's packages."""
    done = subprocess.run([python, IMPORTS, *MODULES], capture_output=True, text=True, timeout=3600, check=True)
    told = json.loads(done.stdout.splitlines()[-1])
    version = subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout.strip()
    return told, {"how": f"environment, {version}", "bytes": sum(told["sizes"].values())}


def main():
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("target", choices=["cpu", "cu12", "cu13"])
    asked.add_argument("--environment", metavar="PYTHON")
    words = asked.parse_args()
    told, entry = installed(words.environment) if words.environment else built(words.target)
    sizes = dict(sorted(told["sizes"].items(), key=lambda pair: -pair[1]))
    entry |= {
        "lock": lock_of(words.target),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "packages": len(sizes),
        "largest": dict(list(sizes.items())[:12]),
        "gpu": any(Path("/dev").glob("nvidia[0-9]*")),
        "imports": told["imports"],
    }
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    RECORD.write_text(json.dumps({**record, words.target: entry}, indent=1, sort_keys=True) + "\n")
    print(json.dumps(entry, indent=1))


if __name__ == "__main__":
    main()
