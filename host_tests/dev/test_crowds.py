"""scripts/dev/tracking/crowds.py: crowds that stress the library, and what the library makes of them."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import kernel_reference as witness
import n6post
import numpy as np
import pytest
import reference
from commands import script
from fakes import Array, FakeModel, Tensor

pytestmark = pytest.mark.proof("scripts/dev/tracking/crowds.py", "host_tests/kernel_reference.py")

ROOT = Path(__file__).parents[2]
CROWDS = runpy.run_path(str(ROOT / "scripts" / "dev" / "tracking" / "crowds.py"))
ANCHORS, SIDE, MAP = 2100, 320, 80
HEAD = {"scale": CROWDS["HEAD_SCALE"], "zero_point": CROWDS["HEAD_ZERO_POINT"]}
PROTOS = {"scale": CROWDS["PROTO_SCALE"], "zero_point": CROWDS["PROTO_ZERO_POINT"]}


def found(head: Array, protos: Array, **options: Any) -> list[Any]:
    model = FakeModel([Tensor(head, **HEAD), Tensor(protos, **PROTOS)], (SIDE, SIDE))
    result: list[Any] = model.run(n6post.YoloV8Seg(0.25, iou_threshold=0.7, max_detections=100, **options))
    return result


def plane(mask: Any) -> Array:
    """The mask's pixels in its crop, (80, 80) of booleans."""
    data, (wx, wy, ww, wh), (x, y, w, h), _, _ = mask._parts()
    whole, window = np.zeros((MAP, MAP), bool), np.zeros((MAP, MAP), bool)
    if w * h:
        window[wy : wy + wh, wx : wx + ww] = np.frombuffer(bytes(data), np.uint8).reshape(wh, ww) >= 128
        whole[y : y + h, x : x + w] = window[y : y + h, x : x + w]
    return whole


@pytest.mark.parametrize("kind", CROWDS["KINDS"])
def test_every_anchor_of_a_crowd_is_a_candidate(kind: str) -> None:
    for anchors, side in CROWDS["SIZES"].items():
        head, protos = CROWDS["tensors"](kind, 1, anchors)
        assert head.shape == (1, 116, anchors) and protos.shape == (1, side // 4, side // 4, 32)
        assert head.dtype == protos.dtype == np.int8
        assert reference.passes(head[0, 4:84].max(axis=0), 0.25, **HEAD).all()
    assert np.array_equal(head, CROWDS["tensors"](kind, 1, anchors)[0])
    assert not np.array_equal(head, CROWDS["tensors"](kind, 2, anchors)[0])


@pytest.mark.parametrize("kind", CROWDS["KINDS"])
def test_detections_of_a_crowd_equal_the_reference(kind: str) -> None:
    head, protos = CROWDS["tensors"](kind, 1, ANCHORS)
    candidates = reference.decode(head[0], 80, 0.25, box_unit=(SIDE, SIDE), max_candidates=300, **HEAD)
    expected = reference.suppress(candidates, 0.7, max_detections=100)
    everything = found(head, protos, mask_overlap=None)
    rects = [reference.to_rect(box.tolist(), (SIDE, SIDE)) for box in expected.box]
    rows = [(rect, int(c), pytest.approx(float(s))) for rect, c, s in zip(rects, expected.class_id, expected.score)]
    # Without masks that are empty: those are not returned.
    seen = [(d.rect, d.class_id, d.score) for d in everything]
    assert [row for row in rows if row in seen] == seen and len(seen) > 5

    # Each mask: inside where coefficients . prototypes > 0, in the crop of the box. One of equal rects is enough.
    prototypes = protos[0].astype(int) - PROTOS["zero_point"]
    coefficients = head[0, 84:].astype(int) - HEAD["zero_point"]
    extra = {row[:2]: index for index, row in reversed(list(enumerate(rows)))}
    for d in everything[:10]:
        index = extra[d.rect, d.class_id]
        if rows[index] == (d.rect, d.class_id, d.score):
            exact = prototypes @ coefficients[:, expected.anchor[index]] > 0
            x, y, w, h = d.mask._parts()[2]
            wanted = np.zeros_like(exact)
            wanted[y : y + h, x : x + w] = exact[y : y + h, x : x + w]
            assert np.array_equal(plane(d.mask), wanted)

    # Suppression by masks.
    planes = np.array([plane(d.mask) for d in everything])
    classes = np.array([d.class_id for d in everything])
    whole = np.tile([0, 0, MAP, MAP], (len(planes), 1))
    for overlap in (0.8, 0.3):
        part = int(overlap * 1024 + 0.5)
        kept = witness.suppress_masks(planes, whole, classes, part, False, whole)
        some = found(head, protos, mask_overlap=overlap)
        assert [(d.rect, d.class_id, d.score) for d in some] == [seen[i] for i in kept]
        assert all(np.array_equal(plane(d.mask), planes[i]) for d, i in zip(some, kept, strict=True))


def test_crowds_are_written_with_a_list_of_their_files(tmp_path: Path) -> None:
    done = script("dev/tracking/crowds.py", str(tmp_path), "tiny", "row", "--anchors", "2100", "--seeds", "7")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = (tmp_path / "crowds.txt").read_text(encoding="utf-8").splitlines()
    assert [line.split()[:3] for line in lines] == [["tiny_2100_7", "2100", "320"], ["row_2100_7", "2100", "320"]]
    head, protos = CROWDS["tensors"]("tiny", 7, 2100)
    assert (tmp_path / "tiny_2100_7.head").read_bytes() == head.tobytes()
    assert (tmp_path / "tiny_2100_7.protos").read_bytes() == protos.tobytes()
