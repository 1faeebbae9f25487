"""What JupyterHub's spawners, nbgitpuller and Binder expect to find."""

import json
import shutil
import subprocess
import sys

assert sys.prefix == "/opt/hundredfold" and (3, 11) <= sys.version_info[:2] <= (3, 13), sys.version
for command in ("jupyterhub-singleuser", "jupyter", "gitpuller", "git", "tini", "hundredfold", "bash"):
    assert shutil.which(command), command
for command in ("hundredfold-start", "hundredfold-health", "hundredfold-nbval"):
    assert shutil.which(command), command
said = subprocess.run(["jupyter", "server", "extension", "list"], capture_output=True, text=True)
told = said.stdout + said.stderr
for extension in ("hundredfold.setup.lab.server", "nbgitpuller", "jupyter_server_proxy", "jupyterlab"):
    lines = [line for line in told.splitlines() if f"{extension} " in line]
    assert any("enabled" in line or "OK" in line for line in lines), (extension, told)
kernels = json.loads(
    subprocess.run(["jupyter", "kernelspec", "list", "--json"], capture_output=True, text=True, check=True).stdout
)
assert "python3" in kernels["kernelspecs"], kernels
