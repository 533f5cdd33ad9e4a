"""Count people who cross a line, and go on with the counts after a restart or a power failure.

Tracks start again: whoever crosses the line while the camera has no power is not counted.
"""

import csi
import n6post

MODEL = "/rom/yolov8n_192.tflite"  # or your own model, with its labels in the .txt file beside it
CLASSES = None  # everything that the model finds; ["person", "dog"]: only what has these labels
FOLDER = "/flash/door"  # it is made on the first save; delete it to start at 0 again
SECONDS = 900  # between two saves at least, because flash memory wears out

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.1, classes=CLASSES)
tracker = n6post.Tracker(threshold=0.4)
line = n6post.LineZone((0, 240), (639, 240))  # "in" is to its left, seen from its start: upwards here
state = n6post.State(FOLDER, every=SECONDS, line=line)
print("%d in, %d out so far" % (line.in_count, line.out_count))

while True:
    img = cam.snapshot()
    objects = tracker.update(model.predict([n6post.Letterbox(img)]))
    line.trigger(objects)
    if state.save():
        print("saved: %d in, %d out" % (line.in_count, line.out_count))
    n6post.draw(img, line)
    n6post.draw(img, objects, color_by="track")
