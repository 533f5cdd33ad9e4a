"""Let a BlazeFace that was quantized for pixels in 0..1 take them in -1..1, for which MediaPipe trained its weights.

A camera fills an integer input with the bytes of the picture (int8: minus 128), whatever its scale. So it is enough to write
another scale and zero point: the same bytes then mean other numbers, and zeros around the picture mean gray, as in training.
The first convolution's biases are counted in steps of this scale, and are rewritten. Everything else stays as it is.

OpenMV's blazeface_front_128 is such a file. MediaPipe's palms and landmarks are trained with 0..1 and are left alone: with
-1..1, OpenMV's palm detector finds 1 of 68 palms in place of 38.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..command import UserError
from ..models.compare import matched
from ..models.pictures import Picture
from ..models.run import Network
from .network import CannotOptimize
from .proof import FailedProofError
from .tflite_file import TfliteFile

FAMILY = "BlazeFace"
SCALE, ZERO_POINT = 2 / 255, -1  # of int8 for -1..1

# A face is found at a score of FOUND, and is evidence if its score changes by CHANGE or more. Of at least FACES such faces,
# AGREE must gain. Of 1,240 faces in the pictures that this was tried on, 516 gained and 50 lost so much.
FOUND, LEAST = 0.5, 0.1
CHANGE, FACES, AGREE = 0.05, 10, 0.8


def changed(path: Path, data: bytes) -> bytes | None:
    """The file with an int8 input of -1..1. None if it is no BlazeFace in integers, or its range is not 0..1."""
    try:
        if Network(path, None, {}).family != FAMILY:
            return None
        file = TfliteFile(data)
    except (UserError, CannotOptimize):
        return None
    (tensor,) = file.input_tensors
    while [file.names[reader] for reader in file.readers(tensor)] == ["QUANTIZE"]:  # floats to int8, or uint8 to int8
        tensor = file.outputs(file.readers(tensor)[0])[0]
    readers, kept = file.readers(tensor), file.graph.tensors[tensor].quantization
    if [file.names[reader] for reader in readers] != ["CONV_2D"] or file.kinds[tensor] != "INT8":
        return None
    scale = float(kept.scale[0])
    if kept.zeroPoint[0] != -128 or abs(255 * scale - 1) > 0.02:
        return None
    for biases in file.inputs(readers[0])[2:]:
        new = file.replace_constant(readers[0], 2, np.round(file.constant(biases) * (scale / SCALE)).astype(np.int32))
        new.quantization.scale = np.float32(new.quantization.scale * (SCALE / scale))
    kept.scale, kept.zeroPoint, kept.min, kept.max = [SCALE], [ZERO_POINT], None, None
    file.cut({file.name(output): output for output in file.output_tensors}, [tensor])
    return file.data()


@dataclass
class Evidence:
    """What two files find in the same pictures.

    faces       the scores of each face that one of them finds, before and after; 0 if it is below LEAST
    """

    complete = True
    before: Path
    after: Path
    faces: list[tuple[float, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._networks = [Network(path, FAMILY, {"threshold": LEAST}) for path in (self.before, self.after)]

    def add(self, picture: Picture) -> None:
        for fit in ("letterbox", "crop"):  # faces of two sizes
            one, other = (network.see(picture, fit) for network in self._networks)
            pairs = matched(one, other)
            scores = [(one[i].score, other[k].score) for i, k in pairs]
            scores += [(face.score, 0.0) for i, face in enumerate(one) if i not in dict(pairs)]
            scores += [(0.0, face.score) for k, face in enumerate(other) if k not in dict(pairs).values()]
            self.faces += [pair for pair in scores if max(pair) >= FOUND]

    def finish(self) -> list[tuple[str, str]]:
        """What was proven. FailedProofError if the pictures do not prove the new range."""
        gains = [after - before for before, after in self.faces]
        gain, lose = sum(one >= CHANGE for one in gains), sum(one <= -CHANGE for one in gains)
        if gain + lose < FACES:
            raise FailedProofError(
                f"expected at least {FACES} faces whose score changes by {CHANGE} or more, got {gain + lose} of "
                f"{len(gains)}: give pictures of faces with --pictures"
            )
        if gain < AGREE * (gain + lose):
            raise FailedProofError(f"with pixels in -1..1, {gain} faces gain {CHANGE} of score or more, and {lose} lose it")
        return [("faces", f"{gain} gain {CHANGE} of score or more, {lose} lose it")]

    def rows(self) -> list[tuple[str, str, str]]:
        """Rows of the report: what is compared, before, after."""
        before, after = (sum(scores[which] >= FOUND for scores in self.faces) for which in (0, 1))
        return [("pixels", "0..1", "-1..1, in an int8 input"),
                ("faces", f"{before} at {FOUND} and more", f"{after} at {FOUND} and more")]  # fmt: skip
