"""Save a picture on the SD card whenever a new object appears, and every SECONDS otherwise.

Objects count once they were detected in `min_hits` frames, so a wrong detection in a single frame saves nothing.
"""

import os
import time

import csi
import n6post

MODEL = "/rom/yolov8n_192.tflite"  # or your own model, with its labels in the .txt file beside it
CLASSES = None  # everything that the model finds; ["person", "dog"]: only what has these labels
FOLDER = "/sdcard"
SECONDS = 600

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.1, classes=CLASSES)
tracker = n6post.Tracker(threshold=0.4, min_hits=3)
# Go on after the pictures of earlier runs.
number = max([0] + [int(name[:5]) for name in os.listdir(FOLDER) if name[:5].isdigit()])
last = time.ticks_ms()

while True:
    img = cam.snapshot()
    objects = tracker.update(model.predict([n6post.Letterbox(img)]))
    seconds = time.ticks_diff(time.ticks_ms(), last) / 1000
    if tracker.started or seconds >= SECONDS:
        number += 1
        last = time.ticks_ms()
        path = "%s/%05d.jpg" % (FOLDER, number)
        img.save(path, quality=90)
        print("%s: %s" % (path, ", ".join([d.label for d in tracker.started]) or "nothing new"))
    n6post.draw(img, objects, color_by="track")
