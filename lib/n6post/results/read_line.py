"""`read_line`: the text of characters that a detector has found."""

from math import sqrt

from .pairs import of_one_frame
from .reading import Reading

_STEEPEST = 0.47  # of a line, height by width: 25 degrees
_REACH = 4  # how far the next character of a line may be, in heights
_ROOM = 0.65  # of a character: what a missing one leaves at least, beside the two halves of its neighbors


def read_line(detections, *, gap="?"):
    """Read the characters that a detector has found, such as the digits of a meter; returns a `Reading`.

        reading = n6post.read_line(model.predict([img]))
        print(reading.text)  # "04?17": the third digit was not found

    detections  a list of Detection of one frame. The label of each is its character. The text may be tilted by up to 20
                degrees; its lines are read from the top, with a line break between them
    gap         the text for a missing character. Two neighbors have a gap between them if they are twice as far apart as
                others in their line, and a character fits there. It takes three characters. "": gaps are not looked for,
                for example in a text with spaces

    `scores` has the score of each detection, 0.0 for a gap and 1.0 for a line break; the score of the reading is their mean
    without those of line breaks. Of two detections in the same place, the better one is read. What is missing at an end of a
    line is not known. ValueError for anything but a list of Detection of one frame, and for a gap that is no text.
    """
    of_one_frame(detections)
    if not isinstance(gap, str):
        raise ValueError("gap: expected a text, got %r" % (gap,))
    if not detections:
        return Reading("", 0.0, [])
    lines = _lines(detections)
    text, scores = "", []
    for line in lines:
        if text:
            text, scores = text + "\n", scores + [1.0]
        missing = _missing(line) if gap else [0] * len(line)
        for (_, _, d), count in zip(line, missing):
            label = d.label or str(d.class_id)
            text += gap * count + label
            scores += [0.0] * (len(gap) * count) + [float(d.score)] * len(label)
    breaks = len(lines) - 1
    return Reading(text, (sum(scores) - breaks) / (len(scores) - breaks), scores)


def _lines(detections):
    """The lines from the top, each a list of (place along the line, width, Detection), the first character first."""
    boxes = []
    for d in detections:
        x, y, w, h = d.rect
        boxes.append((x + w / 2, y + h / 2, w, h))
    height = sorted([box[3] for box in boxes])[len(boxes) // 2]
    slope = _slope(boxes, height)
    cos = 1 / sqrt(1 + slope * slope)
    sin = slope * cos
    rows = sorted([(y * cos - x * sin, at) for at, (x, y, _, _) in enumerate(boxes)])
    lines, last = [], None
    for down, at in rows:
        if last is None or down - last > height / 2:
            lines.append([])
        last = down
        x, y, w, h = boxes[at]
        # The width of a rectangle of which this is the bounding box.
        width = max((w * cos - h * abs(sin)) / (cos * cos - sin * sin), w / 4)
        lines[-1].append((x * cos + y * sin, at, width))
    return [_without_doubles([(place, width, detections[at]) for place, at, width in sorted(line)]) for line in lines]


def _slope(boxes, height):
    """The slope of the lines: the median of those from each character to the nearest one on its right."""
    found = []
    for x, y, _, _ in boxes:
        best = None
        for other_x, other_y, _, _ in boxes:
            across, down = other_x - x, other_y - y
            if 0 < across <= _REACH * height and abs(down) <= _STEEPEST * across:
                if best is None or across < best[0]:
                    best = across, down / across
        if best:
            found.append(best[1])
    return sorted(found)[(len(found) - 1) // 2] if found else 0.0


def _usual_width(line):
    return max(sorted([one[1] for one in line])[3 * len(line) // 4], 1)  # a 1 may be narrow


def _without_doubles(line):
    kept, width = [], _usual_width(line)
    for one in line:
        while kept and 2 * (one[0] - kept[-1][0]) < max(width, one[1], kept[-1][1]):
            if kept[-1][2].score >= one[2].score:
                break
            kept.pop()
        else:
            kept.append(one)
    return kept


def _missing(line):
    """How many characters are missing before each one of a line."""
    count = len(line)
    if count < 2:
        return [0] * count
    width = _usual_width(line)
    apart = [line[at][0] - line[at - 1][0] for at in range(1, count)]
    best = None
    for pitch in apart:  # a few of the distances are that of two neighbors; others are multiples of it
        steps = [max(1, int(one / pitch + 0.5)) for one in apart]
        pitch = sum(apart) / sum(steps)
        worst = max([abs(one - step * pitch) for one, step in zip(apart, steps)]) / pitch
        if best is None or worst < best[0]:
            best = worst, steps
    # A missing character takes the width of one.
    return [0] + [max(0, min(step - 1, int(one / width - _ROOM))) for step, one in zip(best[1], apart)]
