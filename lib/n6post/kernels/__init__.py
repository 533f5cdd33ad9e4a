"""The loops that touch every byte. (Placeholder: picks the portable ones.)"""

from .portable import (  # noqa: F401
    aim, box, candidates, class_map, count, peaks, place, prototype_mask, suppress, tint_map, tint_mask,
)

active = "portable"
