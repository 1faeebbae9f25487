"""All broken variants."""

from . import barriers, borders, refused, shared, unordered

VARIANTS = [*borders.VARIANTS, *barriers.VARIANTS, *unordered.VARIANTS, *shared.VARIANTS, *refused.VARIANTS]
