"""Why outputs are wrong: each likely cause is tried on this PC, and named if what it gives is what came."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import n6post
import numpy as np
from image import Image
from ml._backends import Array, Tensor

from ..models.run import FITS
from .answers import Answer, Reference, stored
from .figures import LEAST_MEAN, WRONG, Figures, compared, in_lines, mean_of, rounding, step_of

EXPLAINS = 0.5  # of the differences: a cause that leaves more of them is none


@dataclass
class Seen:
    """An answer beside what this PC computes for the same input.

    order       for each output of the file the number of the answer's output
    figures     of each output of the file
    """

    answer: Answer
    kernels: list[list[Array]]
    order: list[int]
    figures: list[Figures]

    def output(self, number: int) -> Array:
        """The answer's numbers for an output of the file, with 0 instead of NaN and infinity."""
        numbers = np.nan_to_num(self.answer.outputs[self.order[number]], posinf=0.0, neginf=0.0)
        return numbers.reshape(self.kernels[number][0].shape)


def pairing(answer: Answer, kernels: Sequence[Sequence[Array]], tensors: Sequence[Tensor]) -> list[int]:
    """For each output of the file, which of the answer's it is: the nearest of the same size that is not taken."""
    count = len(kernels)
    fits = [[answer.outputs[j].size == kernels[i][0].size for j in range(count)] for i in range(count)]
    if all(fits[i][i] for i in range(count)):
        steps = [step_of(kernels[i][0], tensors[i]) for i in range(count)]
        away = [[mean_of(answer.outputs[j], kernels[i][0], steps[i]) if fits[i][j] else np.inf for j in range(count)]
                for i in range(count)]  # fmt: skip
        # In the file's own order, unless another one explains the differences.
        own, best = sum(away[i][i] for i in range(count)), list(range(count))
        if own <= LEAST_MEAN * count:
            return best
    else:
        away = [[0.0 if same else np.inf for same in row] for row in fits]
        own, best = np.inf, []
    left, order = set(range(count)), [-1] * count
    for _, i, j in sorted((away[i][j], i, j) for i in range(count) for j in range(count) if away[i][j] < np.inf):
        if order[i] < 0 and j in left:
            order[i] = j
            left.discard(j)
    if -1 in order:
        return best
    return order if not best or sum(away[i][j] for i, j in enumerate(order)) < EXPLAINS * own else best


def of_storage(seen: Seen, tensors: Sequence[Tensor]) -> Iterator[str]:
    """Causes that the outputs themselves show."""
    count = len(tensors)
    if seen.order != list(range(count)):
        yield (f"outputs in another order: the file's outputs {', '.join(map(str, range(count)))} are the camera's "
               f"{', '.join(map(str, seen.order))}")  # fmt: skip
    for number, (tensor, figures) in enumerate(zip(tensors, seen.figures)):
        name = f"output {number}"
        if strange := int((~np.isfinite(seen.answer.outputs[seen.order[number]])).sum()):
            yield f"{name}: {strange} of its numbers are NaN or infinite"
        if seen.answer.quantization is not None:
            scale, zero = seen.answer.quantization[seen.order[number]]
            if abs(scale - tensor.scale) > 1e-3 * tensor.scale or zero != tensor.zero_point:
                yield (f"{name}: another scale or zero point: {scale:.6g} and {zero} on the camera, {tensor.scale:.6g} and "
                       f"{tensor.zero_point} in the file")  # fmt: skip
        if figures.verdict != WRONG:
            continue
        came, expected = seen.output(number), seen.kernels[number][0]
        limit = min(rounding(figures.kernels)[0], EXPLAINS * figures.mean)
        step = step_of(expected, tensor)
        if is_constant(came, expected):
            yield f"{name}: constant, {came.flat[0]}: the weights never arrived, or the network did not run"
        elif text := _transposed(came, expected, step, limit) or _scaled(came, expected, step, limit):
            yield f"{name}: {text}"


def is_constant(came: Array, expected: Array) -> bool:
    return came.size > 1 and bool((came == came.flat[0]).all()) and not (expected == expected.flat[0]).all()


def _transposed(came: Array, expected: Array, step: float, limit: float) -> str:
    wide = [axis for axis, length in enumerate(expected.shape) if length > 1]
    own = tuple(range(expected.ndim))
    for moved in itertools.permutations(wide):
        axes = list(own)
        for place, axis in zip(wide, moved):
            axes[place] = axis
        if tuple(axes) != own and mean_of(came, expected.transpose(axes), step) <= limit:
            shape = [expected.shape[axis] for axis in axes]
            first = " (channels first)" if expected.ndim == 4 and axes == [0, 3, 1, 2] else ""
            return f"its axes are in another order: {shape} instead of {list(expected.shape)}{first}"
    return ""


def _scaled(came: Array, expected: Array, step: float, limit: float) -> str:
    x, y = expected.astype(np.float64).ravel(), came.astype(np.float64).ravel()
    if x.size < 3 or not np.ptp(x):
        return ""
    inside = np.abs(y) < np.abs(y).max() if np.abs(y).max() in (127, 128, 255) else np.ones(len(y), bool)  # not clipped
    if inside.sum() < 3 or not np.ptp(x[inside]) or not np.ptp(y[inside]) or np.corrcoef(x[inside], y[inside])[0, 1] < 0.98:
        return ""
    factor, offset = np.polyfit(x[inside], y[inside], 1)
    left = float(np.abs(factor * x + offset - y)[inside].mean() / step)
    if left <= limit:
        return f"another scale or zero point: its numbers are {factor:.3g} times those of the file, plus {offset:.3g}"
    return ""


def of_memory(seen: Seen, before: Seen | None, tensors: Sequence[Tensor]) -> Iterator[str]:
    """Causes that leave a part of an output right."""
    for number, (tensor, figures) in enumerate(zip(tensors, seen.figures)):
        size = np.dtype(tensor.dtype).itemsize
        came, kernels = seen.output(number), seen.kernels[number]
        step = step_of(kernels[0], tensor)
        away = in_lines(np.abs(came.astype(np.float64) - kernels[0].astype(np.float64)) / step, size).mean(1)
        limit = rounding(figures.kernels)[1]
        if before is not None:
            old = in_lines(before.output(number), size)
            changed = in_lines(np.abs(kernels[0].astype(np.float64) - before.kernels[number][0]) / step, size).mean(1)
            noise = np.maximum(1, 3 * np.maximum(_noise(kernels, step, size), _noise(before.kernels[number], step, size)))
            stale = (in_lines(came, size) == old).all(1) & (changed > noise) & (away > noise)
            if stale.any():
                count = int(stale.sum())
                what = "1 block of 32 bytes is that" if count == 1 else f"{count} blocks of 32 bytes are those"
                yield f"output {number}: {what} of the picture before: the cache was not invalidated"
                figures.verdict = WRONG
                continue
        bad = np.flatnonzero(away > limit)
        if figures.verdict != WRONG or not len(bad) or len(bad) > len(away) / 2:
            continue
        first, last = bad[0] * 32, min((bad[-1] + 1) * 32, came.nbytes)
        others = float(np.delete(away, bad).mean())
        if others > max(figures.kernels[1], LEAST_MEAN) or away[bad].mean() < 4 * limit:
            continue
        if len(bad) > 4 and len(bad) > EXPLAINS * (bad[-1] - bad[0]):
            yield (f"output {number}: only bytes {first} to {last} of {came.nbytes} are wrong: something overwrote "
                   "activations")  # fmt: skip
        else:
            blocks = "1 block" if len(bad) == 1 else f"{len(bad)} blocks"
            what = f"{blocks} of 32 bytes of {len(away)} {'is' if len(bad) == 1 else 'are'}"
            yield (f"output {number}: {what} wrong, the others are right: an old content of the cache, or activations that "
                   "were overwritten")  # fmt: skip


def _noise(kernels: Sequence[Array], step: float, size: int) -> Array:
    """How far the PC's kernels are from each other, for each 32 bytes."""
    numbers = np.stack([one.astype(np.float64) for one in kernels])
    return in_lines(np.ptp(numbers, axis=0) / step, size).mean(1)


# ---- the input ----


def pixels_of(values: Array, tensor: Tensor) -> Array:
    """The pixels, 0 to 255, of an input that n6post has made."""
    if tensor.dtype == "b":
        return (values.astype(np.int16) + 128).astype(np.uint8)
    return values.astype(np.uint8) if tensor.dtype == "B" else np.rint(values * 255).astype(np.uint8)


def input_of(pixels: Array, tensor: Tensor) -> Array:
    """The input that the firmware makes of pixels."""
    if tensor.dtype == "b":
        return (pixels.astype(np.int16) - 128).astype(np.int8)
    return pixels.astype(np.uint8) if tensor.dtype == "B" else (pixels / np.float32(255)).astype(np.float32)


def filled(frame: Image, fit: str, tensor: Tensor) -> Array:
    """The input that n6post makes of a frame."""
    buffer = bytearray(tensor.zeros().nbytes)
    getattr(n6post, FITS[fit][0])(frame)(buffer, tensor.shape, ord(tensor.dtype))
    return np.frombuffer(buffer, np.dtype(tensor.dtype)).reshape(tensor.shape)


def variants(frame: Image, fit: str, tensor: Tensor, others: Sequence[Array]) -> Iterator[tuple[str, Array]]:
    """Inputs that a mistake would make of the frame, each with the mistake's name.

    others   the inputs of the pictures before
    """
    base = filled(frame, fit, tensor)
    yield from (one for one in _mistakes(frame, fit, tensor, others, base) if (one[1] != base).any())


def _mistakes(
    frame: Image, fit: str, tensor: Tensor, others: Sequence[Array], base: Array
) -> Iterator[tuple[str, Array]]:
    pixels = pixels_of(base, tensor)
    if tensor.shape[3] == 3:
        yield "red and blue are swapped in the input", input_of(pixels[..., ::-1], tensor)
        gray = np.rint(pixels @ np.array([0.299, 0.587, 0.114])).astype(np.uint8)
        yield "the input is gray", input_of(np.repeat(gray[..., None], 3, 3), tensor)
    real = pixels / 255.0
    if tensor.dtype == "b":
        yield "the input has another range: 0 to 255 without the shift to -128", pixels.astype(np.int8)
        yield "the input has another range: 0 to 127", (pixels >> 1).astype(np.int8)
    for low, high in ((0.0, 1.0), (-1.0, 1.0), (0.0, 255.0)):
        yield f"the input has another range: {low:g} to {high:g}", stored(low + (high - low) * real, tensor)
    if tensor.shape[3] == 3:
        normal = (real - (0.485, 0.456, 0.406)) / (0.229, 0.224, 0.225)
        yield "the input has another range: ImageNet's mean and deviation", stored(normal, tensor)
    for other in FITS:
        if other != fit:
            yield f"the picture is fitted in another way: {other}", filled(frame, other, tensor)
    if fit == "letterbox":
        yield from _bars(frame, pixels, tensor)
    yield "the input is mirrored", input_of(pixels[:, :, ::-1], tensor)
    yield "the input is upside down", input_of(pixels[:, ::-1], tensor)
    yield "the input is turned by half a turn", input_of(pixels[:, ::-1, ::-1], tensor)
    for number, values in enumerate(others):
        ago = len(others) - number
        yield f"the input is that of {'the picture' if ago == 1 else f'{ago} pictures'} before", values
    for level in (0, 114, 255):
        yield f"no picture arrived: all pixels of the input are {level}", input_of(np.full_like(pixels, level), tensor)
    half = np.arange(-4, 5) / 2
    for down, right in itertools.product(half, half):
        if down or right:
            moved = np.rint(_moved(_moved(pixels.astype(np.float64), down, 1), right, 2))
            yield f"the input is shifted by {right:g} pixels to the right and {down:g} down", input_of(moved, tensor)


def _bars(frame: Image, pixels: Array, tensor: Tensor) -> Iterator[tuple[str, Array]]:
    _, (x, y, w, h) = n6post.Letterbox(frame)._boxes((tensor.shape[2], tensor.shape[1]))
    picture = pixels[:, y : y + h, x : x + w]
    for level in (0, 128, 255):
        other = np.full_like(pixels, level)
        other[:, y : y + h, x : x + w] = picture
        yield f"the bars of the letterbox are {level} instead of 114", input_of(other, tensor)
    for place, (left, top) in {"left or upper": (0, 0), "right or lower": (2 * x, 2 * y)}.items():
        other = np.full_like(pixels, 114)
        other[:, top : top + h, left : left + w] = picture[:, : pixels.shape[1] - top, : pixels.shape[2] - left]
        yield f"the picture lies at the {place} edge instead of between two bars", input_of(other, tensor)


def _moved(pixels: Array, by: float, axis: int) -> Array:
    """Pixels moved along an axis, by halves too. Those at the edge are repeated."""
    places = np.arange(pixels.shape[axis]) - by
    below = np.clip(np.floor(places).astype(int), 0, pixels.shape[axis] - 1)
    above = np.clip(np.ceil(places).astype(int), 0, pixels.shape[axis] - 1)
    return (np.take(pixels, below, axis) + np.take(pixels, above, axis)) / 2


def of_given_input(given: Array, base: Array, tried: Iterator[tuple[str, Array]], tensor: Tensor) -> tuple[float, str]:
    """(mean difference of two inputs in steps, its cause or "") of an input that is known."""
    step = 1.0 if tensor.dtype != "f" else 1 / 255
    mean = mean_of(given, base, step)
    if mean <= LEAST_MEAN:
        return mean, ""
    away, text = min(((mean_of(given, values, step), text) for text, values in tried), key=lambda one: one[0])
    return mean, text if away < EXPLAINS * mean else "the input is another one, and no known mistake explains it"


def of_outputs(seen: Seen, tried: Iterator[tuple[str, Array]], reference: Reference) -> str:
    """The mistake in the input that explains the outputs, or "". Only the outputs of the answer are known."""
    steps = [step_of(kernels[0], tensor) for kernels, tensor in zip(seen.kernels, reference.outputs)]
    units = [step * max(figures.kernels[1], LEAST_MEAN) for step, figures in zip(steps, seen.figures)]

    def away(outputs: Sequence[Array]) -> float:
        each = [mean_of(seen.output(k), one, unit) for k, (one, unit) in enumerate(zip(outputs, units))]
        return float(np.mean(each))

    plain = min(away(list(outputs)) for outputs in zip(*seen.kernels))
    best, text = min(((away(reference.run(values)), text) for text, values in tried), key=lambda one: one[0])
    is_rounding = best < 1.25  # times what the kernels differ from each other
    return text if best < plain * (0.8 if is_rounding else EXPLAINS) and best < 4 else ""


def see(answer: Answer, reference: Reference, base: Array | None) -> Seen:
    """The answer beside what this PC computes for its input, or for `base` if that is not known."""
    values = base if answer.input is None else answer.input
    assert values is not None
    kernels = reference.run_all(values)
    order = pairing(answer, kernels, reference.outputs)
    seen = Seen(answer, kernels, order, [])
    seen.figures = [compared(seen.output(k), kernels[k], tensor) for k, tensor in enumerate(reference.outputs)]
    for k, figures in enumerate(seen.figures):
        if is_constant(seen.output(k), kernels[k][0]) or not np.isfinite(answer.outputs[order[k]]).all():
            figures.verdict = WRONG
    return seen
