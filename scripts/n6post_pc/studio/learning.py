"""Learn: the post-processors of anomaly maps, with what they have learned from good frames of the page."""

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from ..command import UserError
from ..models import learned
from .over_time import SECONDS, _kept

MOST = 500  # good frames

Frame = tuple[str, int]  # the id of a picture or video, and the number of the frame


def checked(given: Any) -> tuple[Frame, ...]:
    """The good frames of a request. UserError for anything but a list of [id, number]."""
    frames = given if isinstance(given, (list, tuple)) and len(given) <= MOST else [None]
    if not all(isinstance(one, (list, tuple)) and [type(part) for part in one] == [str, int] for one in frames):
        raise UserError(f"good: expected a list of at most {MOST} good frames [picture, number]")
    return tuple((key, number) for key, number in frames)


class Lessons:
    """What was learned is kept: a picture that is looked at need not wait for it, and one more good frame costs no more."""

    def __init__(self) -> None:
        self._lessons: OrderedDict[tuple[Any, ...], Any] = OrderedDict()

    def learned(
        self, key: tuple[Any, ...], asked: Any, good: Sequence[Frame], take: Callable[[Frame], Sequence[Any]]
    ) -> tuple[Any, list[float]]:
        """A post-processor that has learned `good`, or after SECONDS of work a part of it, and the score of each frame then.

        key     what the features depend on
        asked   a new post-processor with the options
        take    returns what a post-processor is called with for a frame: model, inputs, outputs
        """
        processor, done, scores = _kept(self._lessons, (*key, asked.patches, asked.positions), lambda: (asked, [], []))
        processor.threshold, processor.sensitive = asked.threshold, asked.sensitive
        if done != list(good[: len(done)]):
            processor.reset()
            done.clear()
            scores.clear()
        end = time.monotonic() + SECONDS
        for frame in good[len(done) :]:
            taken = take(frame)  # an error leaves nothing to be learned from another frame
            processor.learn(1)
            scores.append(processor(*taken).score)
            done.append(frame)
            if time.monotonic() > end:
                break
        return processor, scores

    def forget(self, key: str) -> None:
        """Drop what was learned from a model."""
        for one in [one for one in self._lessons if key in one]:
            del self._lessons[one]


def shown(processor: Any, scores: list[float], good: Sequence[Frame], frame: Frame, score: float) -> dict[str, Any]:
    """What the page shows of it: the scores of the good frames, and which of them the frame with this score is, or -1."""
    number = good.index(frame) if frame in good else -1
    more = {"scores": scores, "score": score, "number": number, "missing": learned.missing(processor)}
    return {"learned": learned.figures(processor) | more}
