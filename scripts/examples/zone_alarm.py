"""Zone alarm: the LED and the zone turn red when an object stays inside the zone for three seconds.

The objects are people with the model that every OpenMV N6 has.
"""

import csi
import n6post
from machine import LED

MODEL = "/rom/yolov8n_192.tflite"  # or your own model, with its labels in the .txt file beside it
CLASSES = None  # everything that the model finds; ["person", "dog"]: only what has these labels
SECONDS = 3.0
# The corners in frame pixels. The position of an object is the middle of the bottom edge of its box.
ZONE = [(200, 160), (460, 160), (600, 470), (60, 470)]

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.1, classes=CLASSES)
tracker = n6post.Tracker(threshold=0.4)
zone = n6post.PolygonZone(ZONE)
alarm = LED("LED_RED")

while True:
    img = cam.snapshot()
    objects = tracker.update(model.predict([n6post.Letterbox(img)]))
    inside = zone.trigger(objects)
    stay = [d for d in inside if zone.dwell_time(d) >= SECONDS]
    if stay:
        alarm.on()
        for d in stay:
            print("#%d %s has been here for %.1f seconds" % (d.track_id, d.label, zone.dwell_time(d)))
    else:
        alarm.off()
    n6post.draw(img, zone, color=(255, 0, 0) if stay else (0, 255, 0))
    n6post.draw(img, objects, color_by="track")
