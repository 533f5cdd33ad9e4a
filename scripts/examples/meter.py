"""Read a meter of water, gas or electricity: a detector finds the digits, and a number is reported once it stays.

A digit that is missed in some frames, for example because its wheel is turning, is filled in from the others.
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

model = n6post.load(MODEL, threshold=0.5)
votes, steady, reported = n6post.Majority(1.0), n6post.Steady(SECONDS), None

while True:
    digits = model.predict([n6post.Letterbox(cam.snapshot())])
    text = votes.update(n6post.read_line(digits)).text  # "?" is a digit that was in no frame
    if len(text) == WHOLE + DECIMALS and "?" not in text and "\n" not in text:
        number = steady.update(text[:WHOLE] + "." + text[WHOLE:])
        if number not in (None, reported):
            reported = number
            print(number)
