"""``python -m hundredfold.publish.drawings [FOLDER]``: print the line that shows each drawing; with a folder, write the files there to look at."""

import sys
from pathlib import Path

from .registry import find, names

for name in names():
    print(find(name).markdown())
    if len(sys.argv) > 1:
        Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
        Path(sys.argv[1], f"{name}.svg").write_text(find(name).svg(), encoding="utf-8")
