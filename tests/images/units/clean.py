"""Nothing of the building is left: no settings of its network, no caches, no tools."""

import re
from pathlib import Path

for place in (
    "/build",
    "/etc/pip.conf",
    "/etc/uv",
    "/run/secrets/ca.pem",
    "/usr/bin/strip",
    "/opt/hundredfold/bin/uv",
    "/tmp/uv-cache",
):
    assert not Path(place).exists(), place
assert not list(Path("/var/lib/apt/lists").glob("*Packages*"))
site = next(Path("/opt/hundredfold/lib").glob("python3*/site-packages"))
for file in site.glob("*.dist-info/direct_url.json"):
    assert "build" in file.read_text(), "only the project itself came from a folder"
    assert re.search(r"hundredfold-", str(file)), file
