"""The lab works here: the project's own doctor finds nothing wrong that is not the machine's."""

import json
import subprocess

said = subprocess.run(["hundredfold", "doctor", "--json"], capture_output=True, text=True)
report = json.loads(said.stdout)
bad = [each for each in report["findings"] if each["level"] == "bad"]
assert said.returncode == 0 and not bad, bad
