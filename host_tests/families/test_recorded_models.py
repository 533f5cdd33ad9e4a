"""data/recorded: the tensors match their index, and the results match what the photographs show."""

from pathlib import Path

import numpy as np
import pytest
from fakes import Array
from n6post_pc import paths
from n6post_pc.demo import recorded

pytestmark = pytest.mark.both_firmwares

DATA = Path(__file__).parents[1] / "data"
COCO = {0: "person", 3: "motorcycle", 15: "cat", 17: "horse", 41: "cup"}
NAMES = recorded.names()


def real(recording: recorded.Recording, output: int = 0) -> Array:
    return recording.tensors[output].dequantized().values[0]


@pytest.mark.parametrize(("model", "picture"), NAMES)
def test_recording_has_the_shapes_and_types_of_the_index(model: str, picture: str) -> None:
    recording = recorded.load(model, picture)
    fake = recording.model()
    for tensor, output, dtype in zip(recording.tensors, recorded.index()[model]["outputs"], fake.output_dtype):
        assert list(tensor.values.shape) == output["shape"]
        assert tensor.values.dtype == np.int8
        assert tensor.values.flags.c_contiguous
        assert dtype == ("f" if output["float"] else "b")
    assert fake.input_shape == ((1, recording.size[1], recording.size[0], 3),)


def test_index_and_files_match() -> None:
    files = sorted(file.stem for file in paths.RECORDED.glob("*.xz"))
    assert files == sorted(f"{model}__{picture}" for model, picture in NAMES)


def test_test_data_stays_under_three_megabytes() -> None:
    assert sum(file.stat().st_size for file in DATA.rglob("*") if file.is_file()) < 3_000_000


@pytest.mark.parametrize(
    ("picture", "label"),
    [
        ("astronaut", "person"),
        ("chelsea", "cat"),
        ("coffee", "cup"),
        ("horse", "horse"),
        ("motorcycle_left", "motorcycle"),
        ("camera", "person"),
    ],
)
def test_best_segmentation_is_the_object_in_the_picture(picture: str, label: str) -> None:
    scores = real(recorded.load("yolov8n_seg_320", picture))[4:84]
    best, _ = np.unravel_index(scores.argmax(), scores.shape)
    assert COCO[int(best)] == label
    assert scores.max() > 0.85


@pytest.mark.parametrize("model", ["yolov8n_seg_320", "yolov8n_192"])
def test_detectors_find_nothing_in_the_rocket_picture(model: str) -> None:
    head = real(recorded.load(model, "rocket"))
    assert head[4 : 84 if len(head) > 84 else 5].max() < 0.3


@pytest.mark.parametrize("picture", ["astronaut", "camera"])
def test_detection_and_pose_find_one_confident_person(picture: str) -> None:
    for model in ("yolov8n_192", "yolov8n_pose_256"):
        assert real(recorded.load(model, picture))[4].max() > 0.85


@pytest.mark.parametrize("picture", ["astronaut", "camera"])
def test_both_movenets_place_the_head_at_the_nose_of_the_pose_network(picture: str) -> None:
    pose = real(recorded.load("yolov8n_pose_256", picture))
    nose = pose[5:7, pose[4].argmax()]  # 0..1
    for model in ("movenet_17_192", "movenet_13_192"):
        heatmap = real(recorded.load(model, picture))[:, :, 0]
        y, x = np.unravel_index(heatmap.argmax(), heatmap.shape)
        assert abs(x / 48 - nose[0]) < 0.1
        assert abs(y / 48 - nose[1]) < 0.1


@pytest.mark.parametrize(
    ("picture", "least", "most"), [("astronaut", 0.2, 0.4), ("camera", 0.1, 0.3), ("coffee", 0, 0.01)]
)
def test_deeplab_finds_the_person_in_a_plausible_fraction_of_the_frame(picture: str, least: float, most: float) -> None:
    logits = real(recorded.load("deeplab_320", picture))
    assert least <= (logits.argmax(axis=0) == 1).mean() <= most


@pytest.mark.parametrize(
    ("model", "picture"), [("yolov8n_seg_320", "astronaut"), ("movenet_13_192", "rocket"), ("deeplab_320", "coffee")]
)
def test_recording_again_gives_the_same_tensors(
    model: str, picture: str, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "scripts" / "dev" / "recording"))
    import record_demo
    import recorder

    again = record_demo.outputs_of(model, record_demo.open_model(model, shared / "models"), picture)
    for output, tensor in zip(again, recorded.load(model, picture).tensors):
        raw, scale, zero_point = recorder.integers(*output)
        assert (np.float32(scale), zero_point) == (np.float32(tensor.scale), tensor.zero_point)
        # Another processor may round a convolution differently here and there.
        assert (np.abs(raw.astype(int) - tensor.values) <= 2).mean() > 0.999
