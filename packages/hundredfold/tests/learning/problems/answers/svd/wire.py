"""``svd.wire``: right answers beside the exact ones."""

RIGHT = {"in whole numbers": (2_000_000, 60_000_000, 120_000_000, 12_000_000_000, 5_000)}
