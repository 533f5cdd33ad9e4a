"""Arguments of the drawing methods in firmware 4.8.1: a position is one tuple of the exact length, or separate numbers.

    5.0     draw_string((x, y), text, ...)     draw_line((x0, y0, x1, y1), ...)    four numbers or more
    4.8.1   draw_string((x, y, text), ...)     draw_line((x0, y0, x1, y1), ...)    exactly four
            draw_string(x, y, text, ...)       draw_line(x0, y0, x1, y1, ...)

No call of draw_string works with both. In 4.8.1, None is not allowed as a color or a scale. That firmware ignores extra
arguments and unknown keywords; the stand-in refuses them, as 5.0 does. The same applies to filters and measures, whose
options are keyword-only in 5.0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
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


def _as_it_is(value: object) -> Any:
    return value


def _roi(value: object) -> Any:
    return tuple(a.fixed_ints(value, 4))


# For each method: the number of positional arguments, the options that may be positional, and the keyword-only options.
_Options = dict[str, Callable[[Any], Any]]
_BY_NAME: _Options = {"roi": _roi} | dict.fromkeys(("difference", "bins", "l_bins", "a_bins", "b_bins"), _as_it_is)
_MEASURES: dict[str, tuple[int, _Options, _Options]] = {
    "mean": (1, {"threshold": a.to_int, "offset": a.to_int, "invert": a.to_int, "mask": _as_it_is}, {}),
    "get_statistics": (0, {"thresholds": _as_it_is, "invert": a.to_int}, _BY_NAME),
    "find_blobs": (1, {
        "invert": a.to_int, "roi": _roi, "x_stride": a.to_int, "y_stride": a.to_int, "area_threshold": a.to_int,
        "pixels_threshold": a.to_int, "merge": a.to_int, "margin": a.to_int, "threshold_cb": _as_it_is,
        "merge_cb": _as_it_is, "x_hist_bins_max": a.to_int, "y_hist_bins_max": a.to_int,
    }, {}),
}  # fmt: skip
_ALIASES = {"get_stats": "get_statistics", "statistics": "get_statistics"}


def _measure_as_4_8_1(name: str, new: Callable[..., Any]) -> Callable[..., Any]:
    count, options, by_name = _MEASURES[name]

    def method(self: Image, *arguments: Any, **keywords: Any) -> Any:
        if len(arguments) < count:
            raise TypeError(f"function missing {count - len(arguments)} required positional arguments")
        first, rest = arguments[:count], arguments[count:]
        allowed = options | by_name
        if len(rest) > len(options) or keywords.keys() - list(allowed)[len(rest) :]:
            if by_name and len(rest) > len(options):
                raise TypeError(f"{name}: 4.8.1 uses the third argument both as roi and as difference: pass them by name")
            raise TypeError(f"{name}: extra arguments, which 4.8.1 silently ignores")
        given = dict(zip(options, rest, strict=False)) | keywords
        return new(self, *first, **{option: allowed[option](value) for option, value in given.items()})

    method.__name__ = name
    return method


def _both(names: Iterable[str], as_4_8_1: Callable[[str, Callable[..., Any]], Callable[..., Any]]) -> list[dict[str, Any]]:
    """The methods of 5.0 and those of 4.8.1."""
    new = {name: getattr(Image, name) for name in names}
    return [new, {name: as_4_8_1(name, method) for name, method in new.items()}]


_DRAWING = _both(_METHODS, _as_4_8_1)
_MEASURING = _both(_MEASURES, _measure_as_4_8_1)
for _methods in _MEASURING:
    _methods.update({alias: _methods[name] for alias, name in _ALIASES.items()})


def _follow() -> None:
    for methods, way in ((_DRAWING, "drawing"), (_MEASURING, "results")):
        for name, method in methods[_host.old(way)].items():
            setattr(Image, name, method)


_host.follow_firmware(_follow)
