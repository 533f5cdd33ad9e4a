"""Calls that take an object (a picture, a model, a mask, detections) refuse values of other types, with a message."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import image
import n6post
import numpy as np

from . import drawing, yolo
from .core import BOUNDED, REFUSED, Dice, attempt, require
from .options import HOSTILE
from .tensors import Model

Call = Callable[[Any], Any]


def _pictures() -> list[Any]:
    return [image.Image(9, 7, image.RGB565), image.Image(9, 7, image.GRAYSCALE), image.Image(9, 7, image.BINARY)]


def _things(dice: Dice) -> list[Any]:
    """At least one valid value for each call, and values that only look valid."""
    mask = drawing.hand_made(dice, 9, 7)[0]
    d: Any = n6post.Detection((1, 1, 5, 4), 0.5, 0, "a", mask, None)
    d.track_id = 3
    head = yolo.make_head(dice, 0, small=True)
    model = Model([head.tensor], head.size)
    bare = n6post.Detection((1, 1, 5, 4), 0.5, 0, "a", None, None)
    return [
        *_pictures(), model, mask, d, [d], (d,), [d, None], [[d]], {"a": d}, [bare, 5], [(1, 2, 3, 4, 5, 6)], [mask],
        n6post.Mask, n6post.Detection, n6post.YoloV8, n6post.YoloV8(), n6post.Tracker(), n6post.Trail(), image, len,
        np.zeros(3), model.outputs(), iter(()),
    ]  # fmt: skip


def _paintable(value: Any) -> bool:
    return isinstance(value, image.Image) and value.format() != image.BINARY


def _picture(value: Any) -> bool:
    return isinstance(value, image.Image)


def _listed(value: Any) -> bool | None:
    """Whether it is a list of detections; None for empty lists and other containers, which may be accepted or refused."""
    if isinstance(value, (list, tuple)) and not isinstance(value, n6post.Detection):
        return all([isinstance(d, n6post.Detection) for d in value]) if value else None
    try:
        return None if not len(value) or isinstance(value, dict) else False
    except TypeError:
        return None if isinstance(value, Iterator) else False


def _nothing(value: Any) -> bool:
    """No value is valid."""
    return False


def _is_condition(value: Any) -> bool:
    return isinstance(value, int) or isinstance(value, float) and value in (0.0, 1.0)


def _tracked(value: Any) -> bool | None:
    listed = _listed(value)
    return listed and all([d.track_id is not None for d in value])


def wrong_types(dice: Dice) -> str:
    """Values of the right type are accepted, others refused; a refused call has drawn and counted nothing."""
    things = _things(dice)
    pictures, mask, d = things[:3], things[4], things[5]
    line, area = n6post.LineZone((0, 3), (9, 3)), n6post.PolygonZone(((0, 0), (9, 0), (9, 7)))
    trail, tracker, hold = n6post.Trail(), n6post.Tracker(), n6post.Hold(1.0)
    trail.update([d])
    square = [(0, 0), (9, 0), (9, 9), (0, 9)]
    plane, heat_map = n6post.Plane(square, square), n6post.HeatMap(4, 3, frame_size=(9, 7))
    kind = dice.pick(("Stretch", "Crop", "Letterbox"))
    data, window, crop, clip, transform = mask._parts()
    calls: tuple[tuple[str, Call, Callable[[Any], bool | None]], ...] = (
        ("draw", lambda x: n6post.draw(x, [d]), _paintable),
        ("draw nothing", lambda x: n6post.draw(x, []), _paintable),
        ("draw zone", lambda x: n6post.draw(x, line), _paintable),
        ("mask.draw", mask.draw, _paintable),
        ("mask.fill_outside", mask.fill_outside, _paintable),
        ("line.draw", line.draw, _paintable),
        ("area.draw", area.draw, _paintable),
        ("trail.draw", trail.draw, _paintable),
        ("Mask.window", lambda x: n6post.Mask(data, x, crop, clip, transform), _nothing),
        ("Mask.crop", lambda x: n6post.Mask(data, window, x, clip, transform), _nothing),
        ("Mask.clip", lambda x: n6post.Mask(data, window, crop, x, transform), _nothing),
        ("Mask.transform", lambda x: n6post.Mask(data, window, crop, clip, x), _nothing),
        ("input", getattr(n6post, kind), _picture),
        ("processor_for", n6post.processor_for, lambda x: None if isinstance(x, Model) else False),  # some fit two families
        ("diagnose", n6post.diagnose, lambda x: isinstance(x, Model)),
        ("mask.iou", mask.iou, lambda x: isinstance(x, n6post.Mask)),
        ("area.occupancy", area.occupancy, _listed),
        ("fraction.update", n6post.Fraction(1).update, _is_condition),
        ("majority.update", n6post.Majority(1).update, lambda x: x is None or isinstance(x, n6post.Reading)),
        ("read_line", n6post.read_line, _listed),
        ("face_turn", n6post.face_turn, _nothing),
        ("repetitions.update", n6post.Repetitions(2, 1).update, lambda x: x is None or type(x) in (int, float)),
        ("hold.trigger", lambda x: hold.trigger(x, elapsed_ms=40), lambda x: _is_condition(x) or _tracked(x)),
        ("area.coverage", area.coverage, lambda x: isinstance(x, n6post.Mask)),
        ("tracker.update", tracker.update, _listed),
        ("to_openmv", n6post.to_openmv, _listed),
        ("to_bytes", n6post.to_bytes, _listed),
        ("to_yolo", n6post.to_yolo, lambda x: _listed(x) and None),  # refused where the size of the frame is not known
        ("merge", n6post.merge, _listed),
        ("plane.update", lambda x: plane.update(x, elapsed_ms=40), _tracked),
        ("heat_map.update", lambda x: heat_map.update(x, elapsed_ms=40), _listed),
        ("heat_map.draw", heat_map.draw, _paintable),
        ("tiles", lambda x: n6post.tiles(x, columns=1, rows=1), lambda x: _picture(x) or None),
        ("trail.update", trail.update, _tracked),
        ("line.trigger", line.trigger, _tracked),
        ("area.trigger", lambda x: area.trigger(x, elapsed_ms=40), _listed),
    )
    name, call, rule = dice.pick(calls)
    value = dice.pick(things) if dice.chance(0.5) else dice.pick(HOSTILE)
    dice.tell(call=name, value=value)
    fits = rule(value)
    before = [bytes(picture.bytearray()) for picture in pictures]
    state = trail.positions(3), line.as_dict(), area.as_dict()
    got, refused = attempt(call, value)
    if not refused:
        require(fits is not False, "accepted a value of a wrong type, and returned %r", got)
        return BOUNDED
    require(fits is not True, "refused a valid value: %s", refused)
    require(before == [bytes(picture.bytearray()) for picture in pictures], "drew something although it refused the value")
    require(state == (trail.positions(3), line.as_dict(), area.as_dict()), "counted something although it refused the value")
    return REFUSED
