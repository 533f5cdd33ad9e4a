"""Collect pictures for training: the frames in which the network was unsure, each with what it found.

Leave the camera running for a few days. On a PC, `n6post collect photos --from /sdcard/collected` then fetches the pictures,
and `n6post collect photos --page` shows them on a page on which you correct them.
"""

import csi
import n6post

MODEL = "/rom/yolov8n_192.tflite"  # or your own model, with its labels in the .txt file beside it
FOLDER = "/sdcard/collected"
SECONDS = 5.0  # between two pictures
MOST = 1000  # pictures; then better ones replace others

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.1)
tracker = n6post.Tracker(threshold=0.3)
collector = n6post.Collector(FOLDER, every=SECONDS, max_files=MOST)
state = n6post.State("/flash/collect", frames=collector)  # what was collected already

while True:
    img = cam.snapshot()
    path = collector.update(tracker.update(model.predict([n6post.Letterbox(img)])), img)
    if path:
        print("%s, %d pictures" % (path, collector.count))
    state.save()
