"""Model files that return recorded outputs, for scripts that run without a real model.

    python3 recorded_models.py SCRIPTS COMMAND ARGUMENTS...

runs n6post's command COMMAND from the folder SCRIPTS. Every model file contains the name of a recording.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

# Shape of the output, width and height of the input: of a cut network, one that compares faces, and one that reads plates.
MADE_UP = {"features": ((1, 12, 12, 128), 192, 192), "embedding": ((1, 128), 112, 112), "text": ((1, 68, 35), 94, 24)}


class Played:
    """A backend of ml.Model that returns recorded outputs for any input."""

    def __init__(self, name: str) -> None:
        from ml._backends import Tensor
        from n6post_pc.demo import gallery, recorded

        if "/" in name:  # of recorded_maps_and_vectors.py
            from recorded_maps_and_vectors import model as recorded_model

            network = recorded_model(name)
            tensors, (_, height, width, _) = network.tensors, network.input_shape[0]
        elif name in MADE_UP:
            import numpy as np

            shape, width, height = MADE_UP[name]
            values = np.random.default_rng(0).integers(-90, 90, shape).astype(np.int8)
            tensors = [recorded.Tensor(values, 0.1, 0)]
        elif name == "oriented boxes":
            import recorded_oriented_boxes

            tensors = list(recorded_oriented_boxes.outputs("yolo11 int8 19").values())
            width, height = recorded_oriented_boxes.SIZE
        elif name.startswith(("objectness: ", "mediapipe: ", "landmarks: ", "pose: ")):
            tensors, (width, height) = _of_a_family(*name.split(": ", 1))
        elif name in gallery.NETWORKS:
            stored = gallery.Network(name)
            tensors, (width, height) = stored.tensors, stored.size
        else:
            picture = next(picture for model, picture in recorded.names() if model == name)
            recording = recorded.load(name, picture)
            tensors, (width, height) = recording.tensors, recording.size
        self._outputs = [tensor.values for tensor in tensors]
        self.inputs = [Tensor((1, height, width, 3), "b", 1 / 255, -128)]
        self.outputs = [Tensor(t.values.shape, t.values.dtype.char, float(t.scale), int(t.zero_point)) for t in tensors]
        self.ram = 500_000

    def run(self, inputs: list[Any]) -> list[Any]:
        return self._outputs


def _of_a_family(kind: str, name: str) -> tuple[list[Any], tuple[int, int]]:
    """The recorded outputs of another kind, and the input's size."""
    if kind == "objectness":
        from recorded_objectness import recorded

        return recorded()[name].tensors, (recorded()[name].side,) * 2
    if kind == "mediapipe":
        import mediapipe_reference

        return mediapipe_reference.tensors_of(name), (mediapipe_reference.described(name)["size"],) * 2
    if kind == "pose":
        import recorded_pose

        return recorded_pose.frames(name)[0].tensors, (recorded_pose.SIDE,) * 2
    import recorded_landmarks

    return recorded_landmarks.frames(name, "rom")[0].tensors, recorded_landmarks.SIZES[name]


def open_backend(path: str) -> tuple[Played, int]:
    name = Path(path).read_text(encoding="utf-8").strip()
    return Played(name), len(name)


def main() -> int:
    sys.path.insert(0, sys.argv[1])
    from n6post_pc import cli, paths

    paths.use_stand_ins()
    import ml.model

    ml.model.open_backend = open_backend  # type: ignore[assignment]
    return cli.call(sys.argv[2], sys.argv[3:], sys.argv[2])


if __name__ == "__main__":
    sys.exit(main())
