"""``clusters.foretell``: right answers beside the exact ones."""

RIGHT = {"rounded": (24e9, 60.0, 24.0, 100)}
