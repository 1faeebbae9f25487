"""Seats: how learners share GPUs so that none of them starves.

Beforehand: `shared_gpus`: the GPUs there are to share, named or found; `plan`: which way to share them, and what each learner gets;
`needs`: what the course's units want of a GPU's memory; `describing`: a plan in sentences.

On a hub: `devices`: the GPUs, MIG slices and simulated GPUs to sit on; `allocations`: who sits where; `limits`: what a seat may use, and
the environment that says so; `certificates`: Dask's, of each learner's own; `hook`: all of this for any spawner; `spawner`, `enter`
and `groups`: one for one machine, which keeps learners apart; `server`: what it starts, `light`: what that does not load, `visitors`: what it reads of who has not logged in, `by_link`: what a link may have it do, `kernels`: how it starts them, and `ports`: whose program is at the other end; `home`: a home folder that is full; `rmm`: RMM held to its seat.

`relay`: what carries bytes between a seat and root's programs, and nothing else. `people`: who may use the hub; `hub_socket`: what a seat may ask it; `hub_database`: what cannot be stored, and `hub_scopes`: what is not kept; `first_run`: whether all is set up that it needs.

Live: `hub_client`: the hub and the servers, and `control`: where a server listens for that; `status`: who uses what; `reclaim`: idle kernels' memory; `page`: both, behind the hub's
login; `notice`: what a learner is told; `trust`: notebooks open on a full disk. `command`: ``hundredfold seats`` and ``hundredfold hub``.

What a hub's Python imports needs the standard library, filelock, and what JupyterHub itself needs (cryptography, pydantic, SQLAlchemy, Tornado).
"""

from .plan import Mechanism, Plan, Seat, plan
from .shared_gpus import Board, UnreadableGpus, found, named

#: The name of a server's control socket in its folder.
CONTROL = "control.sock"
#: The spawner makes a server's two sockets and hands them on: these variables have their file descriptors.
SERVER_VARIABLE, CONTROL_VARIABLE = "HUNDREDFOLD_SERVER_SOCKET", "HUNDREDFOLD_CONTROL_SOCKET"

__all__ = ["Board", "Mechanism", "Plan", "Seat", "UnreadableGpus", "found", "named", "plan"]
