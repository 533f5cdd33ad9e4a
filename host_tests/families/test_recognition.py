"""lib/n6post/families/recognition.py: the families that are asked only if the five usual ones leave a model open."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any, NamedTuple

import n6post
import pytest
from n6post.families import recognition
from n6post.models import matching

RELU = 0.0198  # the scale of an int8 output from 0 on, as OSNet has it


class Model(NamedTuple):
    """A model of a family: what distinguishes it."""

    family: str
    size: tuple[int, int]
    shapes: list[tuple[int, ...]]
    labels: int = 0
    dtype: str = "f"
    scale: float = 0.0
    zero_point: int = 0


def yunet(size: int) -> list[tuple[int, ...]]:
    return [(1, (size // stride) ** 2, n) for n in (1, 1, 4, 10) for stride in (8, 16, 32)]


def scrfd(size: int) -> list[tuple[int, ...]]:
    return [(1, 2 * (size // stride) ** 2, n) for n in (1, 4, 10) for stride in (8, 16, 32)]


def maps(channels: int, size: int) -> list[tuple[int, ...]]:
    return [(1, size // stride, size // stride, channels) for stride in (32, 8, 16)]


MODELS = [
    Model("BlazeFace", (128, 128), [(1, 512, 16), (1, 512, 1), (1, 384, 1), (1, 384, 16)]),
    Model("BlazeFace", (128, 128), [(1, 896, 1), (1, 896, 16)]),
    Model("BlazeFace", (192, 192), [(1, 2304, 16), (1, 2304, 1)], labels=1),
    Model("BlazePalm", (192, 192), [(1, 2016, 1), (1, 2016, 18)]),
    Model("BlazePalm", (192, 192), [(1, 1152, 18), (1, 864, 1), (1, 864, 18), (1, 1152, 1)], dtype="b", scale=0.1),
    Model("YuNet", (320, 320), yunet(320)),
    Model("YuNet", (320, 320), yunet(320)[::-1], labels=1),
    Model("YuNet", (100, 60), [(1, n, -(-60 // s), -(-100 // s)) for s in (8, 16, 32) for n in (1, 10, 4, 1)]),
    Model("Scrfd", (640, 640), scrfd(640)),
    Model("Scrfd", (320, 320), scrfd(320)[:6], labels=1),
    Model("Scrfd", (320, 320), [shape[1:] for shape in scrfd(320)], dtype="b", scale=0.02),
    Model("Scrfd", (100, 60), [(1, n, -(-60 // s), -(-100 // s)) for n in (2, 8, 20) for s in (8, 16, 32)]),
    Model("Scrfd", (96, 64), [(1, 64 // s, 96 // s, n) for s in (8, 16, 32) for n in (8, 2)]),
    Model("YoloV2", (192, 192), [(1, 12, 12, 30)]),
    Model("YoloV2", (192, 192), [(1, 12, 12, 30)], labels=1),
    Model("YoloV2", (224, 224), [(1, 7, 7, 30)], labels=1, dtype="b", scale=0.1),
    Model("YoloV2", (416, 416), [(1, 13, 13, 125)]),
    Model("YoloV2", (416, 416), [(1, 13, 13, 25)], labels=1),
    Model("YoloV2", (416, 416), [(1, 13, 13, 35)], labels=2),
    Model("YoloV5", (320, 320), [(1, 6300, 85)]),
    Model("YoloV5", (320, 320), [(1, 6300, 6)]),
    Model("YoloV5", (320, 320), [(1, 6300, 7)], labels=2, dtype="b", scale=0.005),
    Model("YoloV5", (320, 320), [(1, 6300, 16)]),
    Model("YoloV5", (640, 640), [(1, 25200, 16)], labels=1),
    Model("YoloV5", (320, 320), [(1, 16, 6300)], labels=11),
    Model("YoloV5", (320, 320), [(1, 24, 40, 40), (1, 24, 10, 10), (1, 24, 20, 20)], labels=3, dtype="b", scale=0.1),
    Model("YoloV5", (320, 320), [(1, 255, 40, 40), (1, 255, 10, 10), (1, 255, 20, 20)]),
    Model("YoloX", (320, 320), [(1, 24, 40, 40), (1, 24, 10, 10), (1, 24, 20, 20)], labels=19),
    Model("YoloX", (416, 416), [(1, 3549, 85)]),
    Model("YoloX", (256, 256), [(1, 1344, 6)], labels=1, dtype="b", scale=0.03),
    Model("YoloX", (480, 480), maps(255, 480), labels=80),
    Model("YoloX", (480, 480), maps(18, 480)),
    Model("YoloX", (480, 480), maps(18, 480), labels=1),
    Model("YoloX", (320, 320), maps(85, 320)),
    Model("YoloX", (320, 320), maps(85, 320), labels=80),
    Model("YoloX", (320, 320), maps(6, 320), labels=1, dtype="b", scale=0.1),
    Model("NanoDet", (320, 320), [(1, 2125, 112)]),
    Model("NanoDet", (320, 320), [(1, 112, 2125)], labels=80),
    Model("NanoDet", (416, 416), [(1, 3598, 35)]),
    Model("NanoDet", (416, 416), [(1, n * n, c) for n in (52, 26, 13, 7) for c in (80, 32)]),
    Model("NanoDet", (320, 320), [(1, n * n, c) for c in (1, 32) for n in (5, 10, 20, 40)], labels=1, dtype="b", scale=0.1),
    Model("NanoDet", (300, 300), [(1, 1930, 33)], labels=1, dtype="b", scale=0.1),
    Model("Ssd", (300, 300), [(1, 3000, 4), (1, 3000, 21)]),
    Model("Ssd", (300, 300), [(1, 3000, 21), (1, 3000, 4)], labels=20),
    Model("Ssd", (300, 300), [(1, 3000, 21), (1, 3000, 4)], labels=21),
    Model("Ssd", (300, 300), [(1, 1917, 91), (1, 1917, 4)]),
    Model("Ssd", (192, 192), [(1, 3830, 4), (1, 3830, 2), (1, 3830, 4)], labels=1),
    Model("Ssd", (256, 256), [(1, 6825, 81), (1, 6825, 4), (1, 6825, 4)], labels=80),
    Model("Ssd", (640, 640), [(1, 16800, 4), (1, 16800, 2), (1, 16800, 10)]),
    Model("Ssd", (320, 240), [(1, 4420, 10), (1, 4420, 4), (1, 4420, 2)], labels=1),
    Model("Ssd", (64, 64), [(1, 168, 2), (1, 168, 4), (1, 168, 10)], labels=2, dtype="b", scale=0.1),
    Model("Ssd", (192, 192), [(1, 3830, 4), (1, 3830, 10), (1, 3830, 4)], labels=9),
    Model("Ssd", (300, 300), [(1, 10, 4), (1, 10), (1, 10), (1,)]),
    Model("Ssd", (320, 320), [(1,), (1, 25), (1, 25, 4), (1, 25)], labels=91),
    Model("Fomo", (96, 96), [(1, 12, 12, 2)], dtype="b", scale=1 / 256, zero_point=-128),
    Model("Fomo", (96, 96), [(1, 12, 12, 2)], labels=2, dtype="b", scale=1 / 256, zero_point=-128),
    Model("Fomo", (96, 96), [(1, 12, 12, 4)], labels=3),
    Model("YoloV8Obb", (320, 320), [(1, 300, 7)]),
    Model("YoloV8Obb", (320, 320), [(1, 300, 7)], labels=15),
    Model("YoloV8Obb", (320, 320), [(1, 20, 2100)], labels=15),
    Model("YoloV8Obb", (320, 320), [(1, 7, 2100)], labels=2),
    Model("HandLandmarks", (224, 224), [(1, 1), (1, 63), (1, 1), (1, 63)]),
    Model("HandLandmarks", (224, 224), [(1, 63), (1, 1), (1, 1)]),
    Model("BlazePose", (224, 224), [(1, 2254, 12), (1, 2254, 1)]),
    Model("BlazePose", (224, 224), [(1, n, c) for n in (1568, 392, 294) for c in (1, 12)], dtype="b", scale=0.1),
    Model("BlazePose", (128, 128), [(1, 896, 1), (1, 896, 12)]),
    Model("PoseLandmarks", (256, 256), [(1, 195), (1, 1), (1, 256, 256, 1), (1, 64, 64, 39), (1, 117)]),
    Model("PoseLandmarks", (256, 256), [(1, 64, 64, 39), (1, 1, 1, 1), (1, 195)], dtype="b", scale=0.1),
    Model("PoseLandmarks", (256, 256), [(1, 195), (1, 1)]),
    Model("FaceLandmarks", (192, 192), [(1, 1, 1, 1404), (1, 1, 1, 1)]),
    Model("FaceLandmarks", (192, 192), [(1, 1), (1, 1404)]),
    Model("FacePoints", (112, 112), [(1, 136)]),
    Model("FacePoints", (112, 112), [(1, 196)], dtype="b", scale=0.5, zero_point=-128),
    Model("Classifier", (96, 96), [(1, 2)], labels=2, dtype="b", scale=1 / 256, zero_point=-128),
    Model("Classifier", (96, 96), [(1, 2)]),
    Model("Classifier", (224, 224), [(1, 1000)]),
    Model("TextLine", (94, 24), [(1, 68, 18)]),
    Model("TextLine", (94, 24), [(1, 68, 18)], labels=68),
    Model("TextLine", (100, 32), [(26, 1, 37)], labels=36),
    Model("TextLine", (320, 48), [(1, 40, 6625)], labels=6623),
    Model("TextLine", (320, 48), [(1, 40, 97)], dtype="b", scale=1 / 256, zero_point=-128),
    Model("Classifier", (224, 224), [(1, 1, 1, 1001)]),
    Model("Classifier", (224, 224), [(1, 128)], labels=128),
    Model("Embedding", (128, 256), [(1, 128)], dtype="b", scale=RELU, zero_point=-128),
    Model("Embedding", (112, 112), [(1, 512)]),
    Model("Depth", (224, 224), [(1, 224, 224, 1)], dtype="b", scale=0.03, zero_point=-128),
    Model("Anomaly", (192, 192), [(1, 12, 12, 128)], dtype="b", scale=0.11, zero_point=7),
    Model("Anomaly", (320, 256), [(1, 16, 20, 64)], dtype="B", scale=0.05, zero_point=130),
    Model("Anomaly", (256, 256), [(1, 32, 32, 48)], dtype="b", scale=0.02, zero_point=-128),
    Model("Anomaly", (160, 160), [(1, 10, 10)], dtype="b", scale=0.05, zero_point=-128),
]


def described(model: Model) -> Any:
    """A model that has only attributes and cannot run."""
    width, height = model.size
    count = len(model.shapes)
    return SimpleNamespace(
        input_shape=((1, height, width, 3),),
        output_shape=tuple(model.shapes),
        output_dtype=(model.dtype,) * count,
        output_scale=(model.scale,) * count,
        output_zero_point=(model.zero_point,) * count,
        labels=[f"class {i}" for i in range(model.labels)] or None,
    )


@pytest.mark.parametrize("model", MODELS, ids=lambda model: f"{model.family} {model.shapes[0]} {model.labels}")
@pytest.mark.parametrize("reverse", [False, True])
def test_model_gets_the_processor_of_its_family(model: Model, reverse: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if reverse:
        model = model._replace(shapes=model.shapes[::-1])
    exported = model.family in n6post._EXPORTS
    for family, _, _ in recognition.more_families():
        monkeypatch.setitem(n6post._EXPORTS, family, n6post._EXPORTS.get(family, ""))
    assert matching.match_family(described(model))[0] == model.family
    if not exported:
        pytest.skip("the library does not have this family yet")
    assert type(n6post.processor_for(described(model))) is getattr(n6post, model.family)


def test_every_family_has_a_row_and_a_model_here() -> None:
    names = [name for name, _ in recognition.FAMILIES]
    more = [name for name, _, _ in recognition.more_families()]
    assert len(set(names + more)) == len(names + more)
    assert set(more) <= {model.family for model in MODELS}


def test_usual_models_do_not_load_the_rows_of_other_families(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise every start would pay for them."""
    others = [f"n6post.families.{kind}.recognition" for kind in ("anchors", "vectors")]
    for name in others:
        monkeypatch.delitem(sys.modules, name, raising=False)
    for size, shapes, labels in (
        ((320, 320), [(1, 116, 2100), (1, 80, 80, 32)], 0),
        ((320, 320), [(1, 300, 38), (1, 80, 80, 32)], 80),
        ((320, 320), [(1, 84, 2100)], 0),
        ((192, 192), [(1, 5, 756)], 1),
        ((192, 192), [(1, 5, 756)], 0),
        ((320, 320), [(1, 300, 6)], 80),
        ((320, 320), maps(144, 320), 0),
        ((320, 320), maps(67, 320), 3),
        ((256, 256), [(1, 56, 1344)], 0),
        ((192, 192), [(1, 48, 48, 13)], 0),
        ((192, 192), [(1, 1, 17, 3)], 0),
        ((320, 320), [(1, 320, 320, 2)], 0),
        ((513, 513), [(1, 65, 65, 21)], 0),
    ):
        n6post.processor_for(described(Model("", size, shapes, labels)))
    assert [name for name in others if name in sys.modules] == []


EDGES = [
    Model("DeepLab", (416, 416), [(1, 13, 13, 30)], labels=30),  # as many channels as labels
    Model("YoloX", (320, 320), maps(64, 320)),
    Model("YoloV8", (320, 320), maps(65, 320)),  # 64 box channels and a class
    Model("YoloV8", (320, 320), maps(69, 320)),
    Model("Ssd", (192, 192), [(1, 50, 4), (1, 50, 2), (1, 50, 4)], labels=1),
    Model("Ssd", (192, 192), [(1, 50, 3), (1, 50, 4)], labels=2),
    Model("Fomo", (96, 96), [(1, 6, 6, 2)], dtype="b", scale=1 / 256, zero_point=-128),
    Model("Fomo", (96, 96), [(1, 6, 6, 2)], labels=1),
    Model("FaceLandmarks", (192, 192), [(1, 1, 1, 1434), (1, 1)]),
    Model("Embedding", (112, 112), [(1, 64)]),
    Model("Embedding", (112, 112), [(1, 10)], dtype="b", scale=0.02, zero_point=-128),
    Model("Classifier", (112, 112), [(1, 10)], dtype="b", scale=1 / 256, zero_point=-128),
    Model("DeepLab", (224, 224), [(1, 224, 224, 1)], dtype="h", scale=1.0, zero_point=-32768),  # class numbers
    Model("DeepLab", (224, 224), [(1, 224, 224, 1)], labels=2),
]


@pytest.mark.parametrize("model", EDGES, ids=lambda model: f"{model.family} {model.shapes[0]} {model.labels}")
def test_a_shape_at_the_edge_of_a_rule_gets_its_family(model: Model) -> None:
    assert matching.match_family(described(model))[0] == model.family


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Model("", (320, 320), [(1, 40, 40, 85), (1, 20, 20, 85), (1, 10, 10, 84)]), "expected the outputs of"),
        (Model("", (320, 320), [(1, 2100, 84)], labels=79), "the model's labels: expected 80, one per class, got 79"),
        (Model("", (320, 320), [(1, 300, 4), (1, 300, 91)]), "DETR"),
        (Model("", (320, 320), [(1, 49, 4), (1, 49, 21)]), "expected the outputs of"),
        (Model("", (300, 300), [(1, 1905, 112)]), "the first NanoDet"),  # 38, 19 and 10 cells: the last end beyond the input
        (Model("", (320, 320), [(1, 3, n, n, 6) for n in (40, 20, 10)]), "YOLOv5 without its last layer"),
        (Model("", (256, 256), [(1, 165), (1, 1)]), "MediaPipe's pose landmarks"),
        (Model("", (256, 256), [(1, 195), (1, 2)]), "MediaPipe's pose landmarks"),
        (Model("", (256, 256), [(1, 195), (1, 1), (1, 1)]), "MediaPipe's pose landmarks"),
        (Model("", (256, 256), [(1, 195), (1, 1), (1, 8, 8, 39), (1, 8, 8, 39)]), "MediaPipe's pose landmarks"),
        (Model("", (256, 256), [(1, 195), (1, 1), (1, 8, 8, 38)]), "MediaPipe's pose landmarks"),
        (Model("", (192, 192), [(1, 1434), (1, 142), (1, 142), (1, 1)]), "face landmarks with attention"),
        (Model("", (257, 257), [(1, 17, 17, 17), (1, 17, 17, 34)]), "PoseNet"),
        (Model("", (96, 96), [(1, 10)], dtype="b", scale=0.02), "fits Classifier .* and Embedding "),  # -2.6 to 2.5
        (Model("", (96, 96), [(1, 10)], dtype="b", scale=1 / 127), "fits Classifier .* and Embedding "),  # -1 to 1
    ],
)
def test_a_shape_beyond_the_edge_of_a_rule_is_refused(model: Model, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        n6post.processor_for(described(model))
