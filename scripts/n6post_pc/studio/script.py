"""The camera script with the options of the page. The page prints its results with the script's own lines."""

import json
from typing import Any

HEAD = '''\
"""{title}

Made by n6post studio. {where}
For an N6 or AE3, compile the model first: docs/first-hour.md.
"""

import csi
import n6post

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.{frame_size})

model = {load}

while True:
    img = cam.snapshot()
    {name} = model.predict([n6post.{fit}(img)])
'''

# kind of result: (name in the script, whether it can be drawn, the lines that print it)
KINDS = {
    "objects": ("detections", True, 'for d in detections:\n    print("%s %.2f at %s" % (d.label, d.score, d.rect))\n'),
    "masks": ("detections", True, 'for d in detections:\n'
              '    print("%s %.2f at %s: %d pixels" % (d.label, d.score, d.rect, d.mask.area))\n'),
    "poses": ("detections", True, 'for d in detections:\n'
              '    x, y, score = d.keypoints[0]\n'
              '    print("%s %.2f at %s, first keypoint at %d, %d (%.2f)" % (d.label, d.score, d.rect, x, y, score))\n'),
    "map": ("segmentation", True, 'for class_id in segmentation.class_ids():\n'
            '    percent = 100 * segmentation.fraction(class_id)\n'
            '    print("%s: %.1f %% of the frame" % (segmentation.label(class_id), percent))\n'),
    "classes": ("result", True, 'for one in result:  # best first\n    print("%s %.2f" % (one.label, one.score))\n'),
    "depth": ("depth", True, 'print("from %.2f to %.2f" % (depth.minimum(), depth.maximum()))\n'),
    "vector": ("vector", False, 'print("%d numbers" % len(vector))\n'),
}  # fmt: skip


POSES = {"YoloV8Pose", "MoveNet", "BlazeFace", "BlazePalm", "YuNet", "HandLandmarks", "FaceLandmarks", "Fomo"}


def kind_of(family: str, general: str) -> str:
    """The key in KINDS for the results of a family. They may be empty, so they are not looked at.

    general     what results.kind_of says
    """
    if general != "objects":
        return general
    return "masks" if family == "YoloV8Seg" else "poses" if family in POSES else "objects"


def literal(value: Any) -> str:
    """A value of an option as Python source, text in double quotes."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(literal, value))}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def written(options: dict[str, Any]) -> str:
    """The options as arguments of a call."""
    return ", ".join(f"{name}={literal(value)}" for name, value in options.items())


def camera_script(
    model: str, options: dict[str, Any], fit: str, frame_size: str, kind: str, family: str | None = None,
    needs_labels: bool = False,
) -> str:  # fmt: skip
    """The script.

    model           the name of the model's file
    options         those that are not the default
    fit             Letterbox, Crop or Stretch
    family          the post-processor if it has to be named, or None
    needs_labels    whether the model has a .txt file of labels
    """
    name, drawn, lines = KINDS[kind]
    path = literal(f"/rom/{model}")
    if family:
        load = f"n6post.load({path}, processor=n6post.{family}({written(options)}))"
    else:
        load = f"n6post.load({', '.join(filter(None, (path, written(options))))})"
    # A name with quotes or backslashes would end the docstring.
    plain = model if model.isprintable() and not set(model) & {'"', "\\"} else "the model"
    labels = f"{plain.split('.')[0]}.txt" if plain == model else "the .txt file with its labels"
    files = f"{plain} and {labels}" if needs_labels else plain
    text = HEAD.format(
        title=f"Run {plain} and print what it finds.", where=f"Put {files} into the ROMFS of the camera.",
        frame_size=frame_size, load=load, name=name, fit=fit,
    )  # fmt: skip
    if drawn:
        text += f"    n6post.draw(img, {name})\n"
    return text + "".join(f"    {line}\n" for line in lines.splitlines())


def printed(kind: str, result: Any) -> list[str]:
    """What the script prints for a result: its own lines run here."""
    said: list[str] = []
    name, _, lines = KINDS[kind]
    exec(compile(lines, "<camera script>", "exec"), {name: result, "print": said.append})
    return said
