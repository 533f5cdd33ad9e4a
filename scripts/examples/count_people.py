"""Count the people who cross a line, in both directions.

Every OpenMV N6 has this model. Any YOLOv8, YOLO11 or YOLO26 model with a class "person" works too; docs/your-model.md
shows how to export one.
"""

import csi
import n6post

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

# The model returns low scores too: they continue a track, but only scores above the tracker's threshold begin one.
model = n6post.load("/rom/yolov8n_192.tflite", threshold=0.1, classes=["person"])
tracker = n6post.Tracker(threshold=0.4)
line = n6post.LineZone((0, 240), (639, 240))  # "in" is to its left, seen from its start: upwards here

while True:
    img = cam.snapshot()
    people = tracker.update(model.predict([n6post.Letterbox(img)]))
    entered, left = line.trigger(people)
    for d in entered:
        print("%d entered: %d in, %d out" % (d.track_id, line.in_count, line.out_count))
    for d in left:
        print("%d left: %d in, %d out" % (d.track_id, line.in_count, line.out_count))
    n6post.draw(img, people, color_by="track")
    n6post.draw(img, line)
