"""Read the plates of passing cars: each is printed once, as soon as its frames agree on it.

Plates are followed by a Tracker. Each frame votes for the characters of a plate, so an error in one frame is outvoted. In
many countries a plate is personal data: ask what you may record.
"""

import csi
import n6post

MODEL = "/rom/plates.tflite"  # or another detector whose plates have four keypoints at their corners, or oriented boxes
TEXT = "/rom/lprnet.tflite"
CHARACTERS = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # those of the network, in their order
PATTERN = "LLDDDD"  # two letters and four digits
LEAST = 0.7  # score of a plate that is printed: the part of the frames that agree, times their scores

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

text = n6post.load(TEXT, characters=CHARACTERS, pattern=PATTERN)
reader = n6post.Pipeline(n6post.load(MODEL), text, align="corners")
tracker, votes = n6post.Tracker(), n6post.Majority(2.0)

while True:
    img = cam.snapshot()
    for plate in tracker.update(reader.predict(img)):
        reading = votes.update(plate.result, track=plate)
        if reading.score >= LEAST and not plate.data.get("printed"):
            plate.data["printed"] = True
            print(reading.text, "%.2f" % reading.score)
