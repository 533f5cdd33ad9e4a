"""The camera script with the options of the page. The page prints its results with the script's own lines."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

HEAD = '''\
"""{title}

Made by n6post studio. {where}
For an N6 or AE3, compile the model first: docs/first-hour.md.
"""

{imports}import csi
import n6post

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.{frame_size})

{load}
{made}
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
    "anomaly": ("result", True, 'defects = [d.rect for d in result.objects()]\n'
                'print("%s, score %.1f: %s" % (result.verdict or "no verdict yet", result.score, defects))\n'),
    "depth": ("depth", True, 'print("from %.2f to %.2f" % (depth.minimum(), depth.maximum()))\n'),
    "vector": ("vector", False, 'print("%d numbers" % len(vector))\n'),
}  # fmt: skip

# How Anomaly learns, once: its state is there after a restart
LEARN = '''\
state = n6post.State("/flash/anomaly", anomaly=anomaly)
if not anomaly.learned:
    anomaly.learn({count})
while anomaly.learning:  # show another good part every two seconds
    model.predict([n6post.{fit}(cam.snapshot())])
    print("%d good parts learned" % anomaly.learned)
    time.sleep(2)
state.save(force=True)
'''
GOOD_PARTS = 30  # to learn, if none are chosen on the page

# With a tracker: (what makes a part, its line for each frame, the lines that print what it says)
PARTS = {
    "tracker": ("Tracker", "detections = {name}.update(detections)", ""),
    "line": ("LineZone", "{name}.trigger(detections)",
             'print("{title}: in %d, out %d" % ({name}.in_count, {name}.out_count))\n'),
    "zone": ("PolygonZone", "{name}.trigger(detections)",
             'print("{title}: %d inside, %.0f %% covered" % ({name}.current_count, 100 * {name}.occupancy(detections)))\n'),
    "plane": ("Plane", "{name}.update(detections)",
              'for d in detections:\n'
              '    if plane.speed(d) is not None:  # once it was seen for long enough\n'
              '        print("#%d: %.1f km/h" % (d.track_id, plane.speed(d)))\n'),
}  # fmt: skip


class Part(NamedTuple):
    """A tracker, line, zone or plane in a script: what makes it, its line for each frame, the lines that print it."""

    name: str
    made: str
    step: str
    lines: str


def part(kind: str, arguments: str, number: int = 0) -> Part:
    """number: among others of its kind, from 1; 0 for the only one"""
    name = f"{kind}_{number}" if number else kind
    class_name, step, lines = PARTS[kind]
    lines = lines.replace("{title}", name.replace("_", " ")).replace("{name}", name)
    return Part(name, f"{name} = n6post.{class_name}({arguments})", step.format(name=name), lines)


POSES = {"YoloV8Pose", "MoveNet", "BlazeFace", "BlazePalm", "YuNet", "Scrfd", "HandLandmarks", "FaceLandmarks"}
POSES |= {"FacePoints", "Fomo", "BlazePose", "PoseLandmarks"}


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
    needs_labels: bool = False, parts: Sequence[Part] = (), good: int = 0,
) -> str:  # fmt: skip
    """The script.

    model           the name of the model's file
    options         those that are not the default
    fit             Letterbox, Crop or Stretch
    family          the post-processor if it has to be named, or None
    needs_labels    whether the model has a .txt file of labels
    parts           a tracker and what belongs to it; nothing without one
    good            how many good frames Anomaly learns
    """
    name = KINDS[kind][0]
    path = literal(f"/rom/{model}")
    imports, made = "", "".join(f"{one.made}\n" for one in parts)
    if kind == "anomaly":
        load = f"anomaly = n6post.Anomaly({written(options)})\nmodel = n6post.load({path}, processor=anomaly)"
        imports, made = "import time\n\n", LEARN.format(count=good or GOOD_PARTS, fit=fit)
    elif family:
        load = f"model = n6post.load({path}, processor=n6post.{family}({written(options)}))"
    else:
        load = f"model = n6post.load({', '.join(filter(None, (path, written(options))))})"
    # A name with quotes or backslashes would end the docstring.
    plain = model if model.isprintable() and not set(model) & {'"', "\\"} else "the model"
    labels = f"{plain.split('.')[0]}.txt" if plain == model else "the .txt file with its labels"
    files = f"{plain} and {labels}" if needs_labels else plain
    text = HEAD.format(
        title=f"Run {plain} and print what it finds.", where=f"Put {files} into the ROMFS of the camera.",
        frame_size=frame_size, imports=imports, load=load, name=name, fit=fit, made=made,
    )  # fmt: skip
    loop = "".join(f"{one.step}\n" for one in parts) + draws(kind, parts) + prints(kind, parts)
    return text + "".join(f"    {line}\n" for line in loop.splitlines())


def draws(kind: str, parts: Sequence[Part]) -> str:
    """The lines that draw: the results last, so that no line crosses their labels."""
    name, drawn, _ = KINDS[kind]
    drawings = [one.name for one in parts[1:]] + [f'{name}, color_by="track"' if parts else name]
    if kind == "anomaly":
        drawings.append(f"{name}.objects(), masks=False")
    return "".join(f"n6post.draw(img, {one})\n" for one in drawings) if drawn else ""


def prints(kind: str, parts: Sequence[Part]) -> str:
    """The lines that print the results, with the ids of tracks, and what the parts say."""
    lines = KINDS[kind][2]
    if parts:
        lines = lines.replace('print("', 'print("#%d ').replace("% (d.label", "% (d.track_id, d.label")
    return lines + "".join(one.lines for one in parts)


def printed(kind: str, result: Any, parts: Sequence[Part] = (), made: dict[str, Any] | None = None) -> list[str]:
    """What the script prints for a result: its own lines run here. made: the parts, by name"""
    return run(prints(kind, parts), {KINDS[kind][0]: result, **(made or {})})


def run(lines: str, names: dict[str, Any]) -> list[str]:
    """What lines of the script print."""
    said: list[str] = []
    exec(compile(lines, "<camera script>", "exec"), {**names, "print": said.append})
    return said
