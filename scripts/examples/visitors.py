"""Who was at the door, or at the bird feeder? The best picture of each visitor, on the SD card.

It is saved when the visitor has left: large, sharp and whole. The oldest pictures are replaced once there are PICTURES.
"""

import csi
import n6post

MODEL = "/rom/yolov8n_192.tflite"  # or your own model, with its labels in the .txt file beside it
CLASSES = None  # everything that the model finds; ["bird", "cat"]: only what has these labels
FOLDER = "/sdcard/visitors"
PICTURES = 1000
SECONDS = 1.0  # who is there for a shorter time is no visitor

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.1, classes=CLASSES)
tracker = n6post.Tracker(threshold=0.4)
events = n6post.Events(pictures=True, min_seconds=SECONDS)
visitors = {"count": 0}
state = n6post.State(FOLDER, every=0, visitors=visitors)  # numbers go on after a restart

while True:
    img = cam.snapshot()
    found = tracker.update(model.predict([n6post.Letterbox(img)]))
    for event in events.update(found, img):
        if event.picture:
            visitors["count"] += 1
            state.save()  # before the picture: no number is used twice
            path = "%s/%05d.jpg" % (FOLDER, (visitors["count"] - 1) % PICTURES + 1)
            with open(path, "wb") as file:
                file.write(event.picture)
            print("%s: visitor %d, %s, %.0f seconds" % (path, visitors["count"], event.label, event.seconds))
    n6post.draw(img, found, color_by="track")
