"""All broken variants."""

from kernels_set import registry

from . import barriers, borders, refused, shared, unordered

VARIANTS = [*borders.VARIANTS, *barriers.VARIANTS, *unordered.VARIANTS, *shared.VARIANTS, *refused.VARIANTS]


def kind_and_module(broken) -> tuple[str, str]:
    """What is wrong, and in which module of the set: one variant of each is the smoke set."""
    return broken.kind, registry.module_of(broken.entry)
