"""Who comes and who goes: people who cross a line across the picture, counted on an OpenMV camera.

The model is in every OpenMV N6; any YOLOv8, YOLO11 or YOLO26 that knows a person will do: docs/your-model.md tells how one
is exported.
"""

import csi
import n6post

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

# Low scores may pass: they keep up a track that is there, and begin none.
model = n6post.load("/rom/yolov8n_192.tflite", threshold=0.1, classes=["person"])
tracker = n6post.Tracker(threshold=0.4)
line = n6post.LineZone((0, 240), (639, 240))  # in is to its left, as seen from its start: upwards here

while True:
    img = cam.snapshot()
    people = tracker.update(model.predict([img]))
    came, went = line.trigger(people)
    for d in came:
        print("%d came: %d in, %d out" % (d.track_id, line.in_count, line.out_count))
    for d in went:
        print("%d went: %d in, %d out" % (d.track_id, line.in_count, line.out_count))
    n6post.draw(img, people, color_by="track")
    n6post.draw(img, line)
