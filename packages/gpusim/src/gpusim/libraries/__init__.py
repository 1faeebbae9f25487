"""The simulated libraries. `gpusim.importing` loads what is here under the real names; nothing imports it under these."""
