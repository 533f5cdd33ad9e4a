"""Write pictures as a dataset in Ultralytics' layout, with the ground truth in COCO's format for `n6post run --truth`."""

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from ..command import UserError
from .folder import Picture, box

_YAML = """\
# Ultralytics needs `val`: replace it by pictures that are not used in training.
train: images/train
val: images/train
names:
"""


def check(out: Path, folder: Path) -> None:
    """UserError if a dataset of this folder's pictures may not be written there."""
    if out.resolve().is_relative_to(folder.resolve()):
        raise UserError(f"--dataset: expected a folder outside of {folder}, got {out}")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"{out} is not empty: choose a new folder for the dataset")


def write(pictures: list[Picture], names: list[str], out: Path) -> None:
    """Write the dataset: all of it, or nothing if anything is raised. UserError if a class has no name."""
    highest, where = max(((box(line)[0], one.path.name) for one in pictures for line in one.lines), default=(-1, ""))
    if names and highest >= len(names):
        raise UserError(f"{where}: expected a class below {len(names)}, the number of names, got {highest}")
    names = names or [str(number) for number in range(highest + 1)]
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".n6post-", dir=out.parent) as beside:
        made = Path(beside) / "dataset"
        images, labels = made / "images/train", made / "labels/train"
        images.mkdir(parents=True)
        labels.mkdir(parents=True)
        for one in pictures:
            shutil.copyfile(one.path, images / one.path.name)
            shutil.copyfile(one.path.with_suffix(".txt"), labels / f"{one.path.stem}.txt")
        lines = [f"  {number}: {json.dumps(name, ensure_ascii=False)}\n" for number, name in enumerate(names)]
        (made / "data.yaml").write_text(_YAML + "".join(lines), encoding="utf-8")
        (made / "truth.json").write_text(json.dumps(_truth(pictures, names)), encoding="utf-8")
        if out.exists():
            out.rmdir()  # it is empty
        made.rename(out)


def _truth(pictures: list[Picture], names: list[str]) -> dict[str, list[dict[str, Any]]]:
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for image_id, one in enumerate(pictures, 1):
        width, height = one.size
        images.append({"id": image_id, "file_name": one.path.name, "width": width, "height": height})
        for number, cx, cy, w, h in map(box, one.lines):
            rect = [(cx - w / 2) * width, (cy - h / 2) * height, w * width, h * height]
            entry = {"id": len(annotations) + 1, "image_id": image_id, "category_id": number + 1, "iscrowd": 0}
            annotations.append({**entry, "bbox": [round(value, 2) for value in rect], "area": round(rect[2] * rect[3], 2)})
    categories = [{"id": number, "name": name} for number, name in enumerate(names, 1)]
    return {"images": images, "annotations": annotations, "categories": categories}
