"""scripts/n6post_pc/models/learned.py, and n6post run: good pictures are learned, and others are judged.

The network's features are the colors of 4 x 4 blocks, times fixed numbers. The memory has space for every patch, so the
distance of a cell is that to the nearest block of all good pictures, which plain numpy finds.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import n6post
import numpy as np
import pytest
from fake_networks import SIDE, Done, Network, Run, run
from ml import _backends
from n6post.pixels.colors import class_color
from n6post_pc.command import UserError
from n6post_pc.models import results
from n6post_pc.models.run import parse
from PIL import Image as PilImage

__all__ = ["run"]  # a fixture

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py")

Array = np.ndarray[Any, Any]
CELLS, CHANNELS = 4, 32
MIXED = np.random.default_rng(0).normal(0, 0.5, (3, CHANNELS))


class Features(Network):
    """A network whose int8 features [1, 4, 4, 32] come from the picture's blocks."""

    def __init__(self) -> None:
        super().__init__([np.zeros((1, CELLS, CELLS, CHANNELS), np.float32)])
        self.outputs = [_backends.Tensor((1, CELLS, CELLS, CHANNELS), "b", 0.05, 0)]

    def run(self, inputs: list[Any]) -> list[Any]:
        self.seen.append(inputs[0].copy())
        return [features(inputs[0][0])[None]]


def features(pixels: Array) -> Array:
    block = SIDE // CELLS
    means = pixels.astype(float).reshape(CELLS, block, CELLS, block, 3).mean(axis=(1, 3)) - 128
    return np.clip(np.round(means @ MIXED), -128, 127).astype(np.int8)


def part(path: Path, seed: int, defect: bool = False) -> Path:
    """A picture of a part, in the size of the input; the defect is a bright block at (32, 16)."""
    random = np.random.default_rng(seed)
    kinds = np.random.default_rng(1).integers(60, 200, (5, 3))
    blocks = kinds[random.integers(0, 5, (CELLS, CELLS))] + random.integers(-8, 9, (CELLS, CELLS, 3))
    if defect:
        blocks[1, 2] = 255, 0, 255
    pixels = blocks.astype(np.uint8).repeat(SIDE // CELLS, 0).repeat(SIDE // CELLS, 1)
    path.parent.mkdir(exist_ok=True)
    PilImage.fromarray(pixels).save(path)
    return path


@pytest.fixture
def parts(tmp_path: Path) -> None:
    """Twelve good pictures in good/, one good and one bad one in judge/."""
    for seed in range(12):
        part(tmp_path / "good" / f"{seed:02}.png", seed)
    part(tmp_path / "judge" / "bad.png", 99, defect=True)
    part(tmp_path / "judge" / "fine.png", 98)


def seen(network: Network) -> list[Array]:
    """The blocks [16, 32] of each picture that the network got."""
    return [features(one[0]).reshape(-1, CHANNELS).astype(float) for one in network.seen]


def nearest(some: Array, known: list[Array]) -> Array:
    """The distance of each block to the nearest one of known pictures."""
    if not known:
        return np.zeros(len(some))
    return np.sqrt(((some[:, None] - np.concatenate(known)[None]) ** 2).sum(axis=2)).min(axis=1)


def learn(run: Run, network: Network, *arguments: object, judged: str = "judge") -> Done:
    options = "--fit", "stretch", "--no-positions", *arguments
    return run("net.tflite", judged, *options, networks={"net.tflite": network})


def test_scores_and_threshold_are_those_of_plain_numpy(run: Run, parts: None) -> None:
    network = Features()
    done = learn(run, network, "--json", "--learn", "good")
    assert done.code == 0 and not done.err
    *lines, summary = done.lines
    known = seen(network)
    assert [Path(line["file"]).name for line in lines] == ["bad.png", "fine.png"] and len(known) == 14
    expected = [features(np.asarray(PilImage.open(f"good/{k:02}.png"))).reshape(-1, CHANNELS) for k in range(12)]
    # Sorted by name, once each, in the fit of the judged ones; RGB565 changes colors a little.
    assert all(np.abs(a - b).max() < 10 for a, b in zip(expected, known))
    scores = np.array([nearest(known[k], known[:k]).max() for k in range(12)])
    weights = np.array([256 * k // (k + 1) for k in range(12)], float) ** 4
    mean = np.average(scores, weights=weights)
    threshold = mean + 3 * np.sqrt(np.average((scores - mean) ** 2, weights=weights))
    known_part = 0.0
    for k in range(12):
        known_part += (k / (k + 1) - known_part) / 8
    assert summary == {"model": "net.tflite", "learned": 12, "threshold": pytest.approx(threshold, abs=0.01),
                       "known": pytest.approx(known_part, abs=0.01)}  # fmt: skip
    for line, blocks in zip(lines, known[12:]):
        assert line["score"] == pytest.approx(nearest(blocks, known[:12]).max(), abs=0.01)
        assert line["threshold"] == summary["threshold"]
    bad, fine = lines
    assert (bad["verdict"], [d["rect"] for d in bad["objects"]]) == ("defect", [[32, 16, 16, 16]])
    assert (fine["verdict"], fine["objects"]) == ("good", [])
    assert bad["objects"][0]["mask"]["rle"]["size"] == [SIDE, SIDE]


def test_the_table_has_verdicts_and_defects_and_drawings_show_them(run: Run, parts: None) -> None:
    done = learn(run, Features(), "--learn", "good")
    rows = [" ".join(line.split()) for line in done.out.splitlines()]
    (said,) = [row for row in rows if row.startswith("learned: 12 good pictures, threshold ")]
    threshold = said.split()[5].rstrip(",")
    bad, fine = ([row.split() for row in rows if row.startswith(name)][0] for name in ("bad.png", "fine.png"))
    assert bad[1] == "defect" and fine[1] == "good" and float(bad[2]) > float(threshold) > float(fine[2])
    assert bad[3:] == ["whole", "frame", "threshold", threshold]
    (defect,) = [row for row in rows if "(32, 16, 16, 16)" in row]
    assert defect.endswith("256 pixels") and 0.5 < float(defect.split()[0]) < 1
    assert "1 good, 1 defect" in rows and max(map(len, done.out.splitlines())) <= 80
    for name, drawn in (("bad", True), ("fine", False)):
        with PilImage.open(f"out/net__{name}.png") as shown, PilImage.open(f"judge/{name}.png") as plain:
            after, before = (np.asarray(one).astype(int) for one in (shown, plain))
        change = np.abs(after - before).sum(axis=2)
        assert (change[16:32, 32:48].mean() > 60) == drawn
        edges = np.concatenate([after[17:31, 32], after[31, 32:48]])  # left and lower
        assert (np.abs(edges - class_color(0)).max() < 9) == drawn


@pytest.mark.parametrize("fit", ["letterbox", "crop", "stretch"])
def test_good_pictures_are_fitted_as_the_judged_ones(run: Run, parts: None, fit: str) -> None:
    for folder in ("wide", "wide_too"):
        Path(folder).mkdir()
        with PilImage.open("good/00.png") as picture:
            picture.resize((160, 70)).save(f"{folder}/a.png")
    network = Features()
    done = run("net.tflite", "wide", "--learn", "wide_too", "--fit", fit, networks={"net.tflite": network})
    assert len(network.seen) == 2 and (network.seen[0] == network.seen[1]).all() and f"fit: {fit}" in done.out


def test_what_a_state_keeps_is_there_in_the_next_run_and_in_a_script(run: Run, parts: None) -> None:
    first = learn(run, Features(), "--json", "--learn", "good", "--state", "kept")
    network = Features()
    again = learn(run, network, "--json", "--state", "kept")
    assert again.lines == first.lines and (again.code, again.err, len(network.seen)) == (0, "", 2)
    anomaly = n6post.Anomaly()
    n6post.State("kept", anomaly=anomaly)
    assert anomaly.learned == 12
    part(Path("more/0.png"), 50)
    more = learn(run, Features(), "--json", "--learn", "more", "--state", "kept")
    assert more.lines[-1]["learned"] == 13 != first.lines[-1]["learned"]
    failed = learn(run, Features(), "--json", "--learn", "good", "--state", "net.tflite/kept")
    assert failed.code == 1 and "kept could not be saved" in failed.err and len(failed.lines) == 3


def test_without_anything_learned_that_is_said(run: Run, parts: None) -> None:
    for options in ((), ("--threshold", 5)):
        done = learn(run, Features(), "--json", *options)
        assert done.lines[0]["verdict"] is None and done.lines[0]["score"] == 0
        assert done.code == 1 and done.err == (
            "n6post run: net.tflite: nothing was learned, so every score is 0. --learn FOLDER learns from good pictures\n")


def test_few_good_pictures_have_no_threshold(run: Run, parts: None) -> None:
    for left, text in ((7, "7 good pictures were"), (1, "1 good picture was")):
        for path in sorted(Path("good").iterdir())[left:]:
            path.unlink()
        done = learn(run, Features(), "--learn", "good")
        assert done.code == 1 and f"only {text} learned: a threshold needs more" in done.err
        assert "no threshold yet" in done.out and "2 without a verdict" in done.out
    assert learn(run, Features(), "--learn", "good", "--threshold", 5).code == 0


def test_sensitive_has_the_lower_threshold(run: Run, parts: None) -> None:
    done = [learn(run, Features(), "--json", "--learn", "good", *more) for more in ((), ("--sensitive",))]
    limits = [one.lines[-1]["threshold"] for one in done]
    assert limits[0] > limits[1] > 0


def test_a_grid_of_scores_needs_no_memory(run: Run, parts: None) -> None:
    grid = np.full((1, CELLS, CELLS, 1), 3.0, np.float32)
    grid[0, 1, 2] = 20
    options = "--processor", "Anomaly"
    done = learn(run, Network([grid]), "--json", "--threshold", 10, *options)
    assert done.code == 0 and not done.err and done.lines[0]["score"] == 20 and done.lines[0]["verdict"] == "defect"
    done = learn(run, Network([grid]), *options)
    assert done.code == 1 and "net.tflite: nothing was learned. --learn" in done.err


def test_labels_beside_a_named_anomaly_do_not_matter(run: Run, parts: None) -> None:
    Path("net.txt").write_text("\n".join(f"class {k}" for k in range(CHANNELS)), encoding="utf-8")
    done = learn(run, Features(), "--json", "--learn", "good", "--processor", "Anomaly")
    assert done.code == 0 and done.lines[0]["verdict"] == "defect"


def test_frames_of_a_video_are_learned(run: Run, parts: None) -> None:
    av = pytest.importorskip("av")
    with av.open("good.mp4", "w") as container:
        stream = container.add_stream("mpeg4", rate=10)
        stream.width = stream.height = SIDE
        stream.pix_fmt = "yuv420p"
        for path in sorted(Path("good").iterdir()):
            for packet in stream.encode(av.VideoFrame.from_image(PilImage.open(path))):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    done = learn(run, Features(), "--json", "--learn", "good.mp4")
    assert done.lines[-1]["learned"] == 12 and done.lines[0]["verdict"] == "defect"
    summed = learn(run, Features(), "--learn", "good", judged="good.mp4")
    assert ["good", "12"] in [line.split()[:2] for line in summed.out.splitlines()]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("--learn", "empty"), "no pictures in empty"),
        (("--learn", "nowhere"), "no such picture: nowhere"),
        (("--learn", "judge"), "bad.png is to be learned and to be judged: its score would say nothing"),
        (("--learn", "good", "--compare", "net.tflite"), "--learn and --compare exclude each other"),
        (("--state", "kept", "--compare", "net.tflite"), "--state and --compare exclude each other"),
        (("--state", "truth.json"), "--state: expected a folder, and truth.json is none"),
        (("--truth", "truth.json"), "--truth evaluates objects, but net.tflite finds none"),
    ],
)
def test_what_cannot_be_learned_is_refused(run: Run, parts: None, arguments: tuple[str, ...], message: str) -> None:
    Path("empty").mkdir()
    Path("truth.json").write_text(json.dumps({"images": [], "annotations": []}), encoding="utf-8")
    done = learn(run, Features(), *arguments)
    assert done.code == 2 and message in done.err and "Traceback" not in done.err and not done.out


def test_other_families_do_not_learn(run: Run, parts: None) -> None:
    distances = Network([np.ones((1, 8, 8, 1), np.float32)])
    for option in ("--learn", "--state"):
        done = run("net.tflite", "judge", option, "good", "--processor", "Depth", networks={"net.tflite": distances})
        assert done.code == 2 and "--learn and --state are for n6post.Anomaly, and its post-processor is Depth" in done.err


def test_a_good_picture_that_cannot_be_read_is_named(run: Run, parts: None) -> None:
    Path("good/00.png").write_bytes(b"no picture")
    done = learn(run, Features(), "--json", "--learn", "good")
    assert done.code == 1 and f"good{os.sep}00.png: not a picture" in done.err and done.lines[-1]["learned"] == 11


def test_a_drawing_does_not_replace_a_good_picture(run: Run, parts: None) -> None:
    Path("good/11.png").rename("good/net__bad.png")
    before = Path("good/net__bad.png").read_bytes()
    done = learn(run, Features(), "--learn", "good", "--out", "good")
    assert done.code == 2 and "also an input of this command" in done.err
    assert Path("good/net__bad.png").read_bytes() == before


def test_a_vector_is_not_drawn() -> None:
    assert results.draw("img", np.ones(3)) == "img"


def test_the_options_are_off_unless_given() -> None:
    with pytest.raises(UserError):  # there is no such file
        parse(["net.tflite", "a.png"], "n6post run")
    arguments = parse([], "n6post run")
    assert (arguments.learn, arguments.state, arguments.sensitive, arguments.positions) == (None, None, False, True)
