"""Read a meter of water, gas or electricity: a detector finds the digits, and a number is reported once it stays.

A frame in which a digit is missed, for example because its wheel is turning, gives no number.
"""

import csi
import n6post

MODEL = "/rom/digits_320.tflite"  # or your own model, with the labels 0 to 9 in the .txt file beside it
WHOLE, DECIMALS = 5, 1  # digits before and behind the point
SECONDS = 3.0  # for which a number has to stay

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.5, class_agnostic=True)  # one digit in each place
steady, reported = n6post.Steady(SECONDS), None


def number(digits):
    """The number of a row of digits, as a text; None if one is missed, or something beside the row was taken for one."""
    row = sorted(digits, key=lambda d: (d.center[0], d.rect[1]))
    if len(row) != WHOLE + DECIMALS:
        return None
    across, down = [[b.center[axis] - a.center[axis] for a, b in zip(row, row[1:])] for axis in (0, 1)]
    if max(across) > 1.5 * min(across) or max(down) - min(down) > min(across) / 2:
        return None
    text = "".join([d.label for d in row])
    return text[:WHOLE] + "." + text[WHOLE:]


while True:
    read = number(model.predict([n6post.Letterbox(cam.snapshot())]))
    if read is not None:
        read = steady.update(read)
    if read not in (None, reported):
        reported = read
        print(reported)
