"""Save each new object on the SD card, cut out of the frame: for a record, or to train a classifier.

An object is saved once, when its track begins. With masked=True, its background is black.
"""

import os

import csi
import n6post

MODEL = "/rom/yolov8n_320_seg.tflite"  # or your own model, with its labels in the .txt file beside it
CLASSES = None  # everything that the model finds; ["person", "dog"]: only what has these labels
FOLDER = "/sdcard"

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.4, classes=CLASSES)
tracker = n6post.Tracker(min_hits=5)
# Go on after the pictures of earlier runs.
number = max([0] + [int(name[:5]) for name in os.listdir(FOLDER) if name[:5].isdigit()])

while True:
    img = cam.snapshot()
    objects = tracker.update(model.predict([n6post.Letterbox(img)]))
    for d in tracker.started:
        number += 1
        path = "%s/%05d-%s.jpg" % (FOLDER, number, d.label)
        d.crop(img, grow=0.1, square=True, masked=False).save(path, quality=90)
        print("%s: #%d" % (path, d.track_id))
    n6post.draw(img, objects, color_by="track")
