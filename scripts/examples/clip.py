"""Save a clip of what happens: from some seconds before an object appears until SECONDS after it was last seen.

A clip is a file of JPEGs, which VLC plays; `ffmpeg -framerate 10 -i 00001.mjpeg 00001.mp4` converts it for other players.
"""

import os
import time

import csi
import n6post

MODEL = "/rom/yolov8n_192.tflite"  # or your own model, with its labels in the .txt file beside it
CLASSES = None  # everything that the model finds; ["person", "dog"]: only what has these labels
FOLDER = "/sdcard"
SECONDS = 5
MEMORY = 1000000  # bytes of JPEGs that wait for something to happen: about 30 frames

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)
model = n6post.load(MODEL, threshold=0.4, classes=CLASSES)
number = max([0] + [int(name[:5]) for name in os.listdir(FOLDER) if name[:5].isdigit()])  # after those of earlier runs
frames, clip, seen = [], None, 0

while True:
    img = cam.snapshot()
    frames.append(img.to_jpeg(quality=50, copy=True))
    if model.predict([n6post.Letterbox(img)]):
        seen = time.ticks_ms()
        if clip is None:
            number += 1
            clip = open("%s/%05d.mjpeg" % (FOLDER, number), "wb")
    while clip and frames:
        clip.write(frames.pop(0).bytearray())
    while sum([frame.size() for frame in frames]) > MEMORY:
        frames.pop(0)
    if clip and time.ticks_diff(time.ticks_ms(), seen) >= 1000 * SECONDS:
        clip.close()
        clip = None
