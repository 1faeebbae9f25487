"""Complete the image's bill of materials: cyclonedx-py knows the Python packages, dpkg those of Debian.

cyclonedx-py environment PYTHON | python sbom.py NAME > sbom.cdx.json
"""

import json
import subprocess
import sys
from urllib.parse import quote

FORM = "${Package}\t${Version}\t${Architecture}\n"


def completed(bill, name, debian):
    """A CycloneDX bill as that of a container, with the packages that dpkg-query tells line by line in `FORM`."""
    bill["metadata"]["component"] = {"type": "container", "bom-ref": name, "name": name}
    for line in debian.splitlines():
        package, version, kind = line.split("\t")
        purl = f"pkg:deb/debian/{quote(package)}@{quote(version)}?arch={kind}"
        bill["components"].append(
            {"type": "library", "bom-ref": purl, "name": package, "version": version, "purl": purl}
        )
    return bill


if __name__ == "__main__":
    told = subprocess.run(["dpkg-query", "-W", "-f", FORM], capture_output=True, text=True, check=True).stdout
    json.dump(completed(json.load(sys.stdin), sys.argv[1], told), sys.stdout, indent=1)
