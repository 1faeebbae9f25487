"""`kernellens try`: run somebody's GPU code here, and say how far it came and what stopped it.

Each program runs in a process of its own with the simulated libraries in place, in a copy of its folder, so that nothing of its
author's is written to.  What happens inside that process is noted there (`inside`), judged there while the exception is
at hand (`verdicts`), and comes back as JSON.
"""
