"""Arguments of the drawing methods in firmware 4.8.1: a position is one tuple of the exact length, or separate numbers.

    5.0     draw_string((x, y), text, ...)     draw_line((x0, y0, x1, y1), ...)    four numbers or more
    4.8.1   draw_string((x, y, text), ...)     draw_line((x0, y0, x1, y1), ...)    exactly four
            draw_string(x, y, text, ...)       draw_line(x0, y0, x1, y1, ...)

No call of draw_string works with both. In 4.8.1, None is not allowed as a color or a scale. That firmware ignores extra
arguments and unknown keywords; the stand-in refuses them, as 5.0 does. The options of filters and measures, which 4.8.1
also takes by position, are keyword-only here: so they work with both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import _host

from . import _arguments as a
from ._image import Image


def _color(value: object) -> Any:
    if not isinstance(value, int):
        a.fixed_ints(value, 3)
    return value


def _float(value: object) -> Any:
    a.to_float(value)
    return value


# For each method: the number of values of a position, and the options in order.
_METHODS: dict[str, tuple[int, dict[str, Callable[[Any], Any]]]] = {
    "draw_line": (4, {"color": _color, "thickness": a.to_int}),
    "draw_rectangle": (4, {"color": _color, "thickness": a.to_int, "fill": a.to_int}),
    "draw_circle": (3, {"color": _color, "thickness": a.to_int, "fill": a.to_int}),
    "draw_ellipse": (5, {"color": _color, "thickness": a.to_int, "fill": a.to_int}),
    "draw_cross": (2, {"color": _color, "size": a.to_int, "thickness": a.to_int}),
    "draw_string": (3, {
        "color": _color, "scale": _float, "x_spacing": a.to_int, "y_spacing": a.to_int, "mono_space": a.to_int,
        "char_rotation": a.to_int, "char_hmirror": a.to_int, "char_vflip": a.to_int,
        "string_rotation": a.to_int, "string_hmirror": a.to_int, "string_vflip": a.to_int,
    }),
    "get_pixel": (2, {"rgbtuple": a.to_int}),
    "set_pixel": (2, {"color": _color}),
}  # fmt: skip


def _place(arguments: tuple[Any, ...], count: int) -> tuple[list[Any], tuple[Any, ...]]:
    """Split the arguments into (position, remaining arguments)."""
    if not arguments:
        raise TypeError("function missing 1 required positional arguments")
    if type(arguments[0]) is tuple or type(arguments[0]) is list:
        return a.fixed(arguments[0], count), arguments[1:]
    if len(arguments) < count:  # a namedtuple is refused here; 5.0 accepts it
        raise OSError("Not enough positional arguments!")
    return list(arguments[:count]), arguments[count:]


def _as_4_8_1(name: str, new: Callable[..., Any]) -> Callable[..., Any]:
    count, options = _METHODS[name]

    def method(self: Image, *arguments: Any, **keywords: Any) -> Any:
        self._check_mutable()
        place, rest = _place(arguments, count)
        if name == "draw_ellipse" and rest:
            raise TypeError("draw_ellipse: 4.8.1 ignores the first argument after the ellipse: pass the options by name")
        if len(rest) > len(options) or keywords.keys() - list(options)[len(rest) :]:
            raise TypeError(f"{name}: extra arguments, which 4.8.1 silently ignores")
        given = dict(zip(options, rest, strict=False)) | keywords
        given = {option: options[option](value) for option, value in given.items()}
        if name == "draw_string":
            return new(self, tuple(place[:2]), place[2], **given)
        return new(self, tuple(place), **given)

    method.__name__ = name
    return method


_NEW = {name: getattr(Image, name) for name in _METHODS}
_OLD = {name: _as_4_8_1(name, method) for name, method in _NEW.items()}


def _follow() -> None:
    for name, method in (_OLD if _host.old("drawing") else _NEW).items():
        setattr(Image, name, method)


_host.follow_firmware(_follow)
