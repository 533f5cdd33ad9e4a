"""lib/n6post/tensors/label_sets.py: the class names of COCO and Pascal VOC."""

from pathlib import Path
from typing import Any

import image
import ml
import n6post
import numpy as np
import pytest
from fake_networks import Network
from fakes import FakeModel, Tensor
from ml import model as ml_model
from n6post.tensors import label_sets
from synthetic_heads import Thing, float_head

# The category numbers of COCO's instance annotations; ten of 1..90 are not in use.
COCO_NUMBERS = """
1 person, 2 bicycle, 3 car, 4 motorcycle, 5 airplane, 6 bus, 7 train, 8 truck, 9 boat, 10 traffic light,
11 fire hydrant, 13 stop sign, 14 parking meter, 15 bench, 16 bird, 17 cat, 18 dog, 19 horse, 20 sheep, 21 cow,
22 elephant, 23 bear, 24 zebra, 25 giraffe, 27 backpack, 28 umbrella, 31 handbag, 32 tie, 33 suitcase, 34 frisbee,
35 skis, 36 snowboard, 37 sports ball, 38 kite, 39 baseball bat, 40 baseball glove, 41 skateboard, 42 surfboard,
43 tennis racket, 44 bottle, 46 wine glass, 47 cup, 48 fork, 49 knife, 50 spoon, 51 bowl, 52 banana, 53 apple,
54 sandwich, 55 orange, 56 broccoli, 57 carrot, 58 hot dog, 59 pizza, 60 donut, 61 cake, 62 chair, 63 couch,
64 potted plant, 65 bed, 67 dining table, 70 toilet, 72 tv, 73 laptop, 74 mouse, 75 remote, 76 keyboard,
77 cell phone, 78 microwave, 79 oven, 80 toaster, 81 sink, 82 refrigerator, 84 book, 85 clock, 86 vase, 87 scissors,
88 teddy bear, 89 hair drier, 90 toothbrush
"""


def test_coco_has_80_names_and_voc_21() -> None:
    coco = [label_sets.class_name(i, 80) for i in range(80)]
    assert len(coco) == len(set(coco)) == 80
    assert (coco[0], coco[5], coco[17], coco[79]) == ("person", "bus", "horse", "toothbrush")
    voc = [label_sets.class_name(i, 21, background=True) for i in range(21)]
    assert len(voc) == len(set(voc)) == 21
    assert (voc[0], voc[15], voc[20]) == ("background", "person", "tvmonitor")
    assert [label_sets.class_name(3, n) for n in (21, 1, 5)] == ["3"] * 3
    assert [label_sets.class_name(3, n, background=True) for n in (80, 5)] == ["3"] * 2


def test_voc_classes_are_alphabetical_after_the_background() -> None:
    voc = [label_sets.class_name(i, 21, background=True) for i in range(21)]
    assert voc[0] == "background"
    assert voc[1:] == sorted(voc[1:])


def test_coco_classes_are_in_the_order_of_the_category_numbers() -> None:
    ordered = [entry.strip().split(" ", 1)[1] for entry in COCO_NUMBERS.split(",")]
    assert [label_sets.class_name(i, 80) for i in range(80)] == ordered


def detector(lines: list[str] | None) -> Any:
    things = [Thing(5, (8, 8, 20, 20), {0: 0.9}), Thing(6, (30, 30, 60, 60), {1: 0.8})]
    return FakeModel([Tensor(float_head((64, 64), 2, things))], (64, 64), lines)


def test_labels_have_no_carriage_return_in_any_family() -> None:
    """The firmware splits a model's .txt at line feeds only, and the .txt of the N6's own detector has carriage returns."""
    assert [d.label for d in detector(["person\r", "dog\r"]).run(n6post.YoloV8())] == ["person", "dog"]
    head = float_head((64, 64), 2, [Thing(5, (8, 8, 20, 20), {1: 0.9}, [9, 9, 0.9] * 2)], extra=6)
    (d,) = FakeModel([Tensor(head)], (64, 64), ["a\r", "b\r"]).run(n6post.YoloV8Pose())
    assert (d.label, d.keypoints.shape) == ("b", (2, 3))
    heat = np.random.default_rng(1).random((1, 16, 16, 13)).astype(np.float32)
    (d,) = FakeModel([Tensor(heat)], (64, 64), ["dancer\r"]).run(n6post.MoveNet())
    assert d.label == "dancer"
    found = FakeModel([Tensor(np.zeros((1, 8, 8, 2), np.int8), 0.1)], (64, 64), ["sky\r", "sea\r"]).run(n6post.DeepLab())
    assert found.label(1) == "sea"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_label_file_with_any_line_ends_labels_the_detections(
    end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ml_model, "open_backend", lambda path: (Network([detector(None).tensors[0].values]), 1))
    (tmp_path / "net.txt").write_bytes(end.join(["person", "traffic light", ""]).encode())
    path = str(tmp_path / "net.tflite")
    frame = image.Image(64, 64, image.RGB565)
    loaded = n6post.load(path)
    opened = ml.Model(path)
    chosen = n6post.processor_for(opened)
    by_hand = n6post.YoloV8(labels=opened.labels)
    for found in (loaded.predict([frame]), *[opened.predict([frame], callback=p) for p in (chosen, by_hand)]):
        assert [d.label for d in found] == ["person", "traffic light"]


def test_number_of_given_labels_must_match_the_classes() -> None:
    assert label_sets.checked_names(("a", "b"), 2) == ["a", "b"]
    for names in (["a", "b"], list("abcd")):
        with pytest.raises(ValueError, match=f"^expected 3 labels, one per class, got {len(names)}$"):
            label_sets.checked_names(names, 3)
