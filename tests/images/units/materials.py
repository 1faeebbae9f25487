"""The bill of materials names all that is installed, at its version."""

import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

bill = json.loads(Path(sys.prefix, "share/hundredfold/sbom.cdx.json").read_text())
assert bill["bomFormat"] == "CycloneDX" and bill["specVersion"] == "1.6"
assert len({each["bom-ref"] for each in bill["components"]}) == len(bill["components"])
there = {(each["name"], each["version"]) for each in bill["components"]}
purls = {each["purl"].partition("?")[0] for each in bill["components"] if "purl" in each}
for each in metadata.distributions():
    assert (each.metadata["Name"], each.version) in there, each.metadata["Name"]
    name = each.metadata["Name"].lower().replace("_", "-")
    # The course itself comes from no index.
    assert name == "hundredfold" or f"pkg:pypi/{name}@{each.version.replace('+', '%2B')}" in purls, name
told = subprocess.run(
    ["dpkg-query", "-W", "-f", "${Package}\n"], capture_output=True, text=True, check=True
).stdout.split()
debian = {purl.removeprefix("pkg:deb/debian/").partition("@")[0] for purl in purls if purl.startswith("pkg:deb/")}
assert {name.replace("+", "%2B") for name in told} == debian
