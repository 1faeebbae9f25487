"""`python -m hundredfold.setup.doctor`: the doctor for a Python that has nothing installed."""

import sys

from . import main

sys.exit(main())
