"""Training: pictures as tensors, the loss, and the loop."""

import copy
import math
import time
from multiprocessing import Pool
from typing import NamedTuple

import numpy as np
import torch
from PIL import Image
from torch import Tensor
from torch.nn import functional

from . import pictures
from .architecture import BINS, SIZE, ShapesNetwork, anchors, corners, flat

GRAY = 114  # of the bars, as n6post.Letterbox paints them
MOST = 8  # objects in a picture
MASK = SIZE // 4  # width and height of the prototypes


class Batch(NamedTuple):
    images: Tensor  # (B, 3, SIZE, SIZE) uint8
    owners: Tensor  # (B, SIZE, SIZE) uint8: of each pixel 1 + the index of its object, 0 for the background
    boxes: Tensor  # (B, MOST, 4): x1, y1, x2, y2 in pixels
    classes: Tensor  # (B, MOST): -1 for objects that do not exist


# ---- pictures ----


def letterboxed(picture: np.ndarray, resampling: Image.Resampling, fill: int = GRAY) -> tuple[np.ndarray, float, int, int]:
    """The picture in the middle of a square of SIZE pixels; its scale; the widths of the left and the top bar."""
    height, width = picture.shape[:2]
    scale = SIZE / max(width, height)
    w, h = round(width * scale), round(height * scale)
    left, top = (SIZE - w) // 2, (SIZE - h) // 2
    square = np.full((SIZE, SIZE, *picture.shape[2:]), fill, np.uint8)
    square[top : top + h, left : left + w] = np.asarray(Image.fromarray(picture).resize((w, h), resampling))
    return square, scale, left, top


def example(number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    picture, things = pictures.make("train", number)
    # Firmware versions and PCs resize in different ways. The network sees all of them.
    kinds = (Image.Resampling.BOX, Image.Resampling.BILINEAR, Image.Resampling.NEAREST)
    square, scale, left, top = letterboxed(picture, kinds[number % 3])
    owners = np.zeros(picture.shape[:2], np.uint8)
    boxes, classes = np.zeros((MOST, 4), np.float32), np.full(MOST, -1)
    for i, thing in enumerate(things):
        owners[thing.mask] = i + 1
        x, y, w, h = thing.box
        boxes[i] = np.array((x, y, x + w, y + h)) * scale + (left, top, left, top)
        classes[i] = thing.class_id
    return square, letterboxed(owners, Image.Resampling.NEAREST, 0)[0], boxes, classes


def data(count: int) -> Batch:
    """The first `count` training pictures."""
    with Pool(2) as pool:
        images, owners, boxes, classes = zip(*pool.imap(example, range(count), 50))
    tensors = [torch.from_numpy(np.stack(arrays)) for arrays in (images, owners, boxes, classes)]
    return Batch(tensors[0].permute(0, 3, 1, 2).contiguous(), *tensors[1:])


def varied(batch: Batch, rng: np.random.Generator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """A batch with random augmentation: flips and a transposition of all pictures, brightness and colors of each."""
    images, owners, boxes, classes = batch
    if rng.random() < 0.5:
        images, owners, boxes = images.transpose(2, 3), owners.transpose(1, 2), boxes[..., (1, 0, 3, 2)]
    for axis, order in ((-1, (2, 1, 0, 3)), (-2, (0, 3, 2, 1))):
        if rng.random() < 0.5:
            images, owners = images.flip(axis), owners.flip(axis)
            side = torch.tensor((axis == -1, axis == -2) * 2)
            boxes = torch.where(side, SIZE - boxes[..., order], boxes)
    count = len(images)
    gain = torch.from_numpy(np.float32(rng.uniform(0.7, 1.3, (count, 1, 1, 1)) * rng.uniform(0.9, 1.1, (count, 3, 1, 1))))
    shift = torch.from_numpy(np.float32(rng.uniform(-0.12, 0.12, (count, 1, 1, 1))))
    floats = images.float() / 255
    gray = torch.from_numpy(rng.random((count, 1, 1, 1)) < 0.1)
    floats = torch.where(gray, floats.mean(1, keepdim=True), floats)
    return ((floats * gain + shift).clamp(0, 1)), owners, boxes, classes


# ---- the loss ----


def iou(a: Tensor, b: Tensor) -> Tensor:
    """Intersection over union of boxes (..., 4): x1, y1, x2, y2."""
    sides = (torch.minimum(a[..., 2:], b[..., 2:]) - torch.maximum(a[..., :2], b[..., :2])).clamp(0)
    both = sides.prod(-1)
    return both / ((a[..., 2:] - a[..., :2]).prod(-1) + (b[..., 2:] - b[..., :2]).prod(-1) - both + 1e-6)


def complete_iou(a: Tensor, b: Tensor) -> Tensor:
    """IoU minus penalties for distant centers and different aspect ratios (CIoU: Zheng et al., 2020)."""
    overlap = iou(a, b)
    hull = torch.maximum(a[..., 2:], b[..., 2:]) - torch.minimum(a[..., :2], b[..., :2])
    apart = ((a[..., :2] + a[..., 2:] - b[..., :2] - b[..., 2:]) / 2).square().sum(-1) / (hull.square().sum(-1) + 1e-6)
    (wa, ha), (wb, hb) = ((box[..., 2:] - box[..., :2]).clamp(1e-3).unbind(-1) for box in (a, b))
    aspect = (4 / math.pi**2) * (torch.atan(wa / ha) - torch.atan(wb / hb)).square()
    with torch.no_grad():
        weight = aspect / (1 - overlap + aspect + 1e-6)
    return overlap - apart - weight * aspect


@torch.no_grad()
def assigned(scores: Tensor, predicted: Tensor, boxes: Tensor, classes: Tensor, centers: Tensor) -> tuple[Tensor, Tensor]:
    """The object that each anchor learns (B, anchors), -1 for none, and the score that it should give (B, anchors).

    Task-aligned assignment (TOOD: Feng et al., 2021): an object takes the ten best anchors inside its box, by
    score * IoU ** 6. The target score of its best anchor is the best IoU.
    """
    overlap = iou(boxes[:, :, None], predicted[:, None])  # (B, MOST, anchors)
    of_class = scores.gather(2, classes.clamp(0)[:, None].expand(-1, scores.shape[1], -1)).transpose(1, 2)
    inside = ((centers > boxes[:, :, None, :2]) & (centers < boxes[:, :, None, 2:])).all(-1) & (classes >= 0)[..., None]
    merit = of_class * overlap**6 * inside
    tenth = merit.topk(10, -1).values[..., -1:]
    chosen = inside & (merit >= tenth) & (merit > 0)
    best = (overlap * chosen).max(1)  # an anchor that two objects have chosen learns the one with the higher IoU
    owner = torch.where(chosen.any(1), best.indices, -1)
    chosen &= owner[:, None] == torch.arange(boxes.shape[1])[:, None]
    merit = merit * chosen
    top = (overlap * chosen).amax(-1, keepdim=True)
    wanted = (merit / merit.amax(-1, keepdim=True).clamp(1e-9) * top).amax(1)
    return owner, wanted


def loss(network: ShapesNetwork, batch: tuple[Tensor, Tensor, Tensor, Tensor], centers: Tensor, strides: Tensor) -> Tensor:
    """The weighted losses of boxes, bins, scores and masks: (4,)."""
    images, owners, boxes, classes = batch
    heads, prototypes = network(images.contiguous(memory_format=torch.channels_last))
    logits, scores, coefficients = flat(heads)
    predicted = corners(logits, centers, strides)
    owner, wanted = assigned(scores.sigmoid(), predicted, boxes, classes, centers)
    picture, anchor = torch.nonzero(owner >= 0, as_tuple=True)
    thing = owner[picture, anchor]
    weight = wanted[picture, anchor]
    total = weight.sum().clamp(1)

    targets = torch.zeros_like(scores)
    targets[picture, anchor, classes[picture, thing]] = weight
    score_loss = functional.binary_cross_entropy_with_logits(scores, targets, reduction="sum") / total

    true = boxes[picture, thing]
    box_loss = ((1 - complete_iou(predicted[picture, anchor], true)) * weight).sum() / total

    # Distribution focal loss (Li et al., 2020): the two bins around the true distance share the target.
    center = centers[anchor]
    distances = torch.cat((center - true[:, :2], true[:, 2:] - center), 1) / strides[anchor]
    distances = distances.clamp(0, BINS - 1.01)
    lower = distances.long()
    share = distances - lower
    bins = logits[picture, anchor].unflatten(-1, (4, BINS)).log_softmax(-1)
    low, high = (bins.gather(-1, (lower + i)[..., None])[..., 0] for i in (0, 1))
    bin_loss = -((low * (1 - share) + high * share).mean(-1) * weight).sum() / total

    # Each mask counts inside its box. The targets of pixels at its edge are between 0 and 1.
    masks = (owners[:, None] == torch.arange(1, MOST + 1)[:, None, None]).float()
    masks = functional.avg_pool2d(masks, SIZE // MASK)[picture, thing]
    grid = (torch.arange(MASK) + 0.5) * (SIZE // MASK)
    x1, y1, x2, y2 = (side[:, None] for side in true.unbind(1))
    margin = SIZE // MASK / 2
    columns, rows = (grid > x1 - margin) & (grid < x2 + margin), (grid > y1 - margin) & (grid < y2 + margin)
    crop = (rows[:, :, None] & columns[:, None, :]).float()
    per_picture = coefficients[picture, anchor].split(torch.bincount(picture, minlength=len(images)).tolist())
    products = [some @ basis.flatten(1) for some, basis in zip(per_picture, prototypes)]
    mask_logits = torch.cat(products).unflatten(1, (MASK, MASK))
    wrong = functional.binary_cross_entropy_with_logits(mask_logits, masks, reduction="none") * crop
    mask_loss = ((wrong.sum((1, 2)) / crop.sum((1, 2)).clamp(1)) * weight).sum() / total
    return torch.stack((5 * box_loss, bin_loss, score_loss, 4 * mask_loss))


# ---- the loop ----


def train(
    examples: Batch, epochs: int, seed: int, batch_size: int = 32, rate: float = 4e-3, start: ShapesNetwork | None = None
) -> ShapesNetwork:
    """Train a new network, or a copy of `start`. Its weights are an exponential moving average over the steps."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    network = ShapesNetwork(len(pictures.CLASSES)) if start is None else copy.deepcopy(start).train()
    network = network.to(memory_format=torch.channels_last)
    average = copy.deepcopy(network).eval()
    centers, strides = anchors()
    decayed = [p for p in network.parameters() if p.dim() > 1]
    others = [p for p in network.parameters() if p.dim() <= 1]
    groups = [{"params": decayed, "weight_decay": 0.02}, {"params": others, "weight_decay": 0}]
    optimizer = torch.optim.AdamW(groups, rate)
    steps = len(examples.images) // batch_size * epochs
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps, pct_start=0.08)
    step, started = 0, time.monotonic()
    for epoch in range(epochs):
        order = torch.from_numpy(rng.permutation(len(examples.images)))
        sums = torch.zeros(4)
        parts = order.split(batch_size)[: len(order) // batch_size]
        for part in parts:
            batch = varied(Batch(*(tensor[part] for tensor in examples)), rng)
            terms = loss(network, batch, centers, strides)
            optimizer.zero_grad()
            terms.sum().backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 10)
            optimizer.step()
            schedule.step()
            step += 1
            keep = min(0.998, step / (step + 10))
            with torch.no_grad():
                for mine, theirs in zip(average.state_dict().values(), network.state_dict().values()):
                    if mine.dtype.is_floating_point:
                        mine.lerp_(theirs, 1 - keep)
            sums += terms.detach()
        means = zip(("boxes", "bins", "scores", "masks"), sums / len(parts))
        told = ", ".join(f"{name} {value:.3f}" for name, value in means)
        print(f"epoch {epoch + 1}/{epochs}, {time.monotonic() - started:.0f} s: {told}", flush=True)
    return average
