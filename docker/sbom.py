"""The image's bill of materials, as CycloneDX 1.6: every Python and Debian package with version, licence and package URL.

python sbom.py NAME > sbom.cdx.json
"""

import json
import subprocess
import sys
import uuid
from datetime import UTC, datetime
from importlib import metadata
from urllib.parse import quote


def python_packages():
    """The distributions that this Python has, as components."""
    found = {}
    for each in metadata.distributions():
        name = (each.metadata["Name"] or "").lower().replace("_", "-")
        if name:
            found[name] = component(name, each.version, f"pkg:pypi/{quote(name)}@{quote(each.version)}", licence(each))
    return [found[name] for name in sorted(found)]


def licence(each):
    """A distribution's licence as it says itself: an SPDX expression, else its first words, else the classifier's."""
    told = each.metadata
    if told.get("License-Expression"):
        return {"expression": told["License-Expression"]}
    classified = [
        text.rpartition(" :: ")[2] for text in told.get_all("Classifier") or [] if text.startswith("License ::")
    ]
    name = classified[0] if classified else (told.get("License") or "").strip().split("\n")[0][:80]
    return {"license": {"name": name}} if name else None


def debian_packages():
    """The packages of the Debian below, as components; none where there is no dpkg."""
    try:
        form = "${Package}\t${Version}\t${Architecture}\n"
        told = subprocess.run(["dpkg-query", "-W", "-f", form], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return []
    rows = [line.split("\t") for line in told.splitlines()]
    return [
        component(name, version, f"pkg:deb/debian/{quote(name)}@{quote(version)}?arch={kind}", None)
        for name, version, kind in rows
    ]


def component(name, version, purl, licence):
    """One entry; `licence` is one of CycloneDX's licence choices, or None where the package does not say."""
    entry = {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}
    return {**entry, "licenses": [licence]} if licence else entry


def bill(name):
    """The whole document."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid4()}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.now(UTC).isoformat(timespec="seconds"),
            "component": {
                "type": "container",
                "bom-ref": name,
                "name": name,
                "version": metadata.version("hundredfold"),
            },
        },
        "components": [*python_packages(), *debian_packages()],
    }


if __name__ == "__main__":
    json.dump(bill(sys.argv[1]), sys.stdout, indent=1)
