"""How the drawing methods of firmware 4.8.1 take their arguments: a place as one tuple of exactly its length, or loose.

    5.0     draw_string((x, y), text, ...)     draw_line((x0, y0, x1, y1), ...)    four numbers or more
    4.8.1   draw_string((x, y, text), ...)     draw_line((x0, y0, x1, y1), ...)    exactly four
            draw_string(x, y, text, ...)       draw_line(x0, y0, x1, y1, ...)

So no form of draw_string suits both. In 4.8.1 None is no colour and no scale; what an argument too many or an unknown
keyword says is passed over in silence there: here it is refused, as 5.0 does.
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


# Of each method: how many values tell the place, and the options in their order.
_METHODS: dict[str, tuple[int, dict[str, Callable[[Any], Any]]]] = {
    "draw_line": (4, {"color": _color, "thickness": a.to_int}),
    "draw_rectangle": (4, {"color": _color, "thickness": a.to_int, "fill": a.to_int}),
    "draw_circle": (3, {"color": _color, "thickness": a.to_int, "fill": a.to_int}),
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
    """(the values that tell the place, what follows them)."""
    if not arguments:
        raise TypeError("function missing 1 required positional arguments")
    if type(arguments[0]) is tuple or type(arguments[0]) is list:
        return a.fixed(arguments[0], count), arguments[1:]
    if len(arguments) < count:  # so a namedtuple, which 5.0 takes, is none
        raise OSError("Not enough positional arguments!")
    return list(arguments[:count]), arguments[count:]


def _as_4_8_1(name: str, new: Callable[..., Any]) -> Callable[..., Any]:
    count, options = _METHODS[name]

    def method(self: Image, *arguments: Any, **keywords: Any) -> Any:
        place, rest = _place(arguments, count)
        if len(rest) > len(options) or keywords.keys() - list(options)[len(rest) :]:
            raise TypeError(f"{name}: extra arguments, which 4.8.1 passes over in silence")
        given = dict(zip(options, rest, strict=False)) | keywords
        given = {option: options[option](value) for option, value in given.items()}
        if name == "draw_string":
            return new(self, tuple(place[:2]), place[2], **given)
        return new(self, tuple(place), **given)

    method.__name__ = name
    return method


_NEW = {name: vars(Image)[name] for name in _METHODS}
_OLD = {name: _as_4_8_1(name, new) for name, new in _NEW.items()}


def _follow() -> None:
    for name, method in (_OLD if _host.old("drawing") else _NEW).items():
        setattr(Image, name, method)


_host.follow_firmware(_follow)
