"""Assertions on results that several test files share: pixels, form, equality with a reference."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import floor
from typing import Any

import image
import n6post
import numpy as np
import pytest
import reference
from fakes import Array
from hypothesis import reject
from n6post.kernels.params import boxes as params
from numpy.testing import assert_allclose


def gray(image: Any) -> Array:
    """The bytes of a GRAYSCALE image as (height, width)."""
    return np.frombuffer(bytes(image.bytearray()), np.uint8).reshape(image.height(), image.width())


def rgb565(image: Any) -> Array:
    return np.frombuffer(bytes(image.bytearray()), np.uint16).reshape(image.height(), image.width())


def pixels(img: image.Image) -> Array:
    """The words of an RGB565 image, or the bytes of a GRAYSCALE one, as (height, width)."""
    return (rgb565 if img.format() == image.RGB565 else gray)(img)


# Of OpenMV's font (lib/imlib/font.c): the columns from each character to the next one, " " to "~", with mono_space=False.
ADVANCES = [
    int(digit)
    for digit in "32365752334633245355545455235543865565456245467656544668665343453454543552343855553435464434245"
]


def text_width(text: str) -> int:
    """The columns of a line of text in OpenMV's font, with mono_space=False."""
    return sum(ADVANCES[ord(letter) - 32] for letter in text if " " <= letter <= "~")


def text_of(arguments: tuple[Any, ...]) -> tuple[Any, Any]:
    """((x, y), text) of draw_string's arguments: (x, y), text of firmware 5.0 or (x, y, text) of 4.8.1."""
    place, text = arguments if len(arguments) == 2 else (arguments[0][:2], arguments[0][2])
    return place, text


def note_texts(patch: pytest.MonkeyPatch, note: Callable[[str, tuple[int, int], dict[str, Any]], None]) -> None:
    """Call note(text, (x, y), options) for every text that is drawn."""
    real = image.Image.draw_string

    def noting(img: Any, *arguments: Any, **options: Any) -> Any:
        place, text = text_of(arguments)
        # An empty text is how the firmware is examined, glyphs are drawn into the font, 8 x 950, and a line of a text that
        # may be in the picture already is drawn for comparison.
        if text and (img.width(), img.height()) != (8, 950) and not (img.height() == 1 and place[1] < 0):
            note(text, place, options)
        return real(img, *arguments, **options)

    patch.setattr(image.Image, "draw_string", noting)


def mask_plane(mask: Any, width: int, height: int) -> Array:
    """A Mask as booleans over all of the prototypes."""
    plane = np.zeros((height, width), dtype=bool)
    x, y, w, h = mask._parts()[2]
    if mask.image is None:
        assert w == 0 or h == 0
        return plane
    assert 0 <= x and 0 <= y and x + w <= width and y + h <= height
    assert (mask.image.width(), mask.image.height()) == (w, h)
    plane[y : y + h, x : x + w] = gray(mask.image) >= 128
    return plane


def assert_well_formed(found: Any, roi: tuple[int, int, int, int], most: int) -> None:
    """A list of at most `most` detections, best first, no NaN, every rect of ints inside the roi of the frame."""
    assert type(found) is list and len(found) <= most
    x0, y0, width, height = roi
    for d in found:
        assert len(d.rect) == 4 and all(type(v) is int for v in d.rect)
        x, y, w, h = d.rect
        assert x0 <= x <= x + w <= x0 + width and y0 <= y <= y + h <= y0 + height
        assert isinstance(d.score, float) and d.score == d.score
        assert type(d.class_id) is int and isinstance(d.label, str)
    scores = [d.score for d in found]
    assert scores == sorted(scores, reverse=True)


def survivors(processor: Any, found: Any = None) -> list[tuple[Any, ...]]:
    """(anchor, class_id, score, x1, y1, x2, y2) of each detection of a YOLO processor's last frame, best first.

    The box is in model input pixels and not clipped, as Ultralytics returns it.

    found   the detections with masks of that frame: without the rows that were dropped because of their masks
    """
    binding = processor._binding
    if binding is None:
        return []
    values, labels, table = binding.decoder.buffers
    units = [binding.unit_x, binding.unit_y, binding.unit_x, binding.unit_y, binding.score_scale]
    rows = []
    candidates = [(int(labels[0, i]), int(labels[1, i])) for i in range(labels.shape[1])]
    first = params.MASK_TABLE if binding.first else 0
    for start in range(first, first + binding.block[params.BOXES_TO_FRAME_KEPT] * params.ROW, params.ROW):
        at = candidates.index((table[start + params.ROW_ANCHOR], table[start + params.ROW_CLASS_ID]))
        *box, score = [float(values[k, at]) * units[k] for k in range(5)]
        rows.append((int(labels[0, at]), int(labels[1, at]), score, *box))
    if found is None:
        return rows
    masks = [d.mask._row() for d in found]
    kept = [(table[entry + params.ROW_ANCHOR], table[entry + params.ROW_CLASS_ID]) for _, table, entry, _ in masks]
    return [row for row in rows if row[:2] in kept]


def assert_same_survivors(rows: list[Any], expected: reference.Candidates, size: tuple[int, int]) -> None:
    """survivors() equal the reference: anchors, classes and order exactly, scores and boxes to float32 precision."""
    assert [row[0] for row in rows] == expected.anchor.tolist()
    assert [row[1] for row in rows] == expected.class_id.tolist()
    assert_allclose([row[2] for row in rows], expected.score, rtol=1e-6)
    boxes = np.array([row[3:] for row in rows]).reshape(-1, 4)
    assert_allclose(boxes, expected.box, rtol=1e-6, atol=max(size) * 3e-7)


def pixels_at(edge: float) -> set[int]:
    """The frame pixel to which an edge is rounded, half up: one, or both where float32 leaves open on which side it lies.

    That is within 2e-4 of a pixel of a half, and below it lib's nudge, 2.44e-4, by which a camera's floats round alike.
    """
    return {floor(edge + 0.5 - 2e-4), floor(edge + 0.5 + 2e-4 + 2.44e-4)}


def assert_rect(rect: Any, corners: Any, roi: tuple[int, ...]) -> None:
    """(x, y, w, h) is that of corners x1, y1, x2, y2 in frame pixels, clipped to the roi and each rounded."""
    x, y, w, h = rect
    x1, y1, x2, y2 = (float(v) for v in corners)
    for first, length, low, high, axis in ((x, w, x1, x2, 0), (y, h, y1, y2, 1)):
        edges = [min(max(v, roi[axis]), roi[axis] + roi[axis + 2]) for v in (low, max(low, high))]
        assert first in pixels_at(edges[0]) and first + length in pixels_at(edges[1]), (rect, corners)


def in_frame(corners: Array, roi: tuple[int, int, int, int]) -> Array:
    """Positions of the boxes with a pixel in the roi. Hypothesis skips examples where float32 decides whether one has."""
    least, most = (reference.has_pixels(corners, roi, grown) for grown in (-5e-4, 5e-4))
    if not np.array_equal(least, most):
        reject()
    return np.flatnonzero(most)


def shown_pixels(plane: Array, box: Array, margin: float = 0, step: int = 4) -> int:
    """The frame pixels of a mask in its box grown by the margin. The frame has the input's size, `step` times the mask's."""
    height, width = step * plane.shape[0], step * plane.shape[1]
    corners = np.floor(np.clip(box, 0, [width, height] * 2) + 0.5) + np.multiply(np.floor(margin + 0.5), [-1, -1, 1, 1])
    x1, y1, x2, y2 = np.maximum(corners, 0).astype(int)
    return int(np.kron(plane, np.ones((step, step), int))[y1:y2, x1:x2].sum())


def assert_same_detections(found: Any, expected: reference.Candidates, corners: Array, roi: tuple[int, ...]) -> None:
    """The detections equal the reference, whose boxes come as corners in frame pixels before clipping and rounding."""
    assert [d.class_id for d in found] == expected.class_id.tolist()
    assert_allclose([d.score for d in found], expected.score, rtol=1e-6)
    for d, box in zip(found, corners, strict=True):
        assert_rect(d.rect, box, roi)


def whole_answer(result: Any) -> Any:
    """The plain values of a Classification, a DepthMap or an embedding; None for any other result."""
    if isinstance(result, (n6post.Classification, n6post.Reading)):
        return [tuple(one) if isinstance(one, tuple) else one for one in result]
    if isinstance(result, n6post.DepthMap):
        return result.raw.tolist(), result.scale, result.zero_point, result._transform.window, result.as_dict()
    if isinstance(result, n6post.AnomalyMap):
        return result.values.tolist(), result.as_dict()
    return None if isinstance(result, (list, n6post.Segmentation)) else result.tolist()


def contents(found: Any) -> list[Any]:
    """The contents of a result as plain values, for comparison."""
    if not isinstance(found, list):
        return whole_answer(found)  # type: ignore[no-any-return]
    return [
        (
            d.rect,
            d.score,
            d.class_id,
            d.label,
            None if d.mask is None else mask_contents(d.mask),
            None if d.keypoints is None else [[float(v) for v in row] for row in d.keypoints],
        )
        for d in found
    ]


def mask_contents(mask: Any) -> Any:
    pixels = None if mask.image is None else gray(mask.image).tolist()
    return mask._parts()[2], pixels, mask.area, mask.centroid, mask.outline()


# --- errors ---
_SHARE = "a number from 0.0 to 1.0"
_COUNT = "an integer from 1 to 65535"
_FLAG = "True or False"
# What the error for each option expects. If there are several sentences, the value decides which.
WANTED: dict[str, tuple[str, ...]] = {
    "threshold": (_SHARE, "a number between 0 and 1 or None", "a number from 0.0 to 1000000.0"),  # DeepLab's, Anomaly's
    "iou_threshold": (_SHARE,),
    "nms_sigma": ("a number from 0.0 to 1000000.0",),
    "max_detections": (_COUNT,),
    "max_candidates": (_COUNT,),
    "class_count": (_COUNT,),
    "classes": ("a list of class numbers and names, or None", "class numbers from 0 to 65535 and names"),
    "labels": (
        "a list of names, a dict {0: name, ...}, the path of a .txt file or None",
        "class numbers as the keys of a dict, each once",
    ),
    "class_agnostic": (_FLAG,),
    "refit_boxes": (_FLAG,),
    "refine": (_FLAG,),
    "box_units": ("'pixels', 'normalized' or None", "'cells', 'pixels', 'normalized' or None"),
    "version": ("'v3', 'v4' or None",),
    "box_order": ("'xywh', 'xyxy' or None", "'xywh', 'yxhw' or None"),
    "mask_threshold": ("a number from 1e-06 to 0.999999",),
    "mask_padding": ("a number from 0.0 to 10000.0",),
    "mask_overlap": (_SHARE,),
    "keypoint_threshold": (_SHARE,),
    "score_type": ("'probability', 'logit' or None", "'probability', 'logit', 'missing' or None"),
    "layout": ("'NHWC', 'NCHW', 'keypoints' or None", "'NHWC', 'NCHW' or None"),
    "output_type": ("'probability', 'logit', 'class_ids' or None",),
    "background": ("an integer from 0 to 255",),
}


def says(*sentences: str) -> str:
    """`match` for an error with exactly one of these messages."""
    return "^(" + "|".join(re.escape(sentence) for sentence in sentences) + ")$"


def refuses(name: str, value: Any) -> str:
    """`match` for the error of an option: what it expects, and the invalid value or its invalid part."""
    parts = [value, *(value if isinstance(value, (list, tuple, dict)) else ())]
    if name not in WANTED:
        return f"^{name}: expected .+, got (" + "|".join(re.escape(repr(part)) for part in parts) + ")$"
    return says(*[f"{name}: expected {wanted}, got {part!r}" for wanted in WANTED[name] for part in parts])
