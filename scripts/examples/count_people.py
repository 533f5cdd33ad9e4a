"""Count the people, or other objects, that cross a line, in both directions. The counts survive a power failure.

Every OpenMV N6 has this model, which finds people. Any YOLOv8, YOLO11 or YOLO26 model works too; docs/first-hour.md shows
how to export one.
"""

import csi
import n6post

MODEL = "/rom/yolov8n_192.tflite"  # or your own model, with its labels in the .txt file beside it
CLASSES = None  # everything that the model finds; ["person", "dog"]: only what has these labels
FOLDER = "/flash/door"  # of the counts; delete it to start at 0 again
SECONDS = 900  # between two saves at least, because flash memory wears out

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

# The model returns low scores too: they continue a track, but only scores above the tracker's threshold begin one.
model = n6post.load(MODEL, threshold=0.1, classes=CLASSES)
tracker = n6post.Tracker(threshold=0.4)
line = n6post.LineZone((0, 240), (639, 240))  # "in" is to its left, seen from its start: upwards here
state = n6post.State(FOLDER, every=SECONDS, line=line)

while True:
    img = cam.snapshot()
    objects = tracker.update(model.predict([n6post.Letterbox(img)]))
    entered, left = line.trigger(objects)
    for d in entered:
        print("#%d %s entered: %d in, %d out" % (d.track_id, d.label, line.in_count, line.out_count))
    for d in left:
        print("#%d %s left: %d in, %d out" % (d.track_id, d.label, line.in_count, line.out_count))
    state.save()
    n6post.draw(img, line)
    n6post.draw(img, objects, color_by="track")
