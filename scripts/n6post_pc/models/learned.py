"""What n6post.Anomaly has learned: for `n6post run`, and for studio. It needs no numpy, as studio/looks.py."""

from typing import Any

from n6post.families.maps import anomaly

_STEPS = anomaly._STEPS  # of a score of 1


def figures(processor: Any) -> dict[str, Any]:
    """How many frames were learned, the score above which a frame is not a good one (None: not known yet), and `known`."""
    steps = processor._known_limits()[0]
    limit = None if steps is None else round(steps / _STEPS, 3)
    return {"learned": processor.learned, "threshold": limit, "known": round(processor.known, 3)}


def missing(processor: Any) -> str:
    """What has to be learned before there are verdicts; "" if enough is known."""
    count, binding = processor.learned, processor._binding
    has_scores = binding is not None and binding.channels == 1  # the network's own, in a grid
    if processor._known_limits()[0] is not None and (count or has_scores):
        return ""
    if count:
        return f"only {count} good {'picture was' if count == 1 else 'pictures were'} learned: a threshold needs more"
    return "nothing was learned" if has_scores else "nothing was learned, so every score is 0"
