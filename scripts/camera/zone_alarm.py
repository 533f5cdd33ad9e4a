"""Somebody stays where nobody should stay: an alarm after three seconds inside of a zone, on an OpenMV camera."""

import csi
import n6post
from machine import LED

SECONDS = 3.0
# Its corners in the picture; a person is where the middle of the lower edge of its box is.
ZONE = [(200, 160), (460, 160), (600, 470), (60, 470)]

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load("/rom/yolov8n_192.tflite", threshold=0.1, classes=["person"])
tracker = n6post.Tracker(threshold=0.4)
zone = n6post.PolygonZone(ZONE)
alarm = LED("LED_RED")

while True:
    img = cam.snapshot()
    people = tracker.update(model.predict([img]))
    inside = zone.trigger(people)
    stay = [d for d in inside if zone.seconds(d.track_id) >= SECONDS]
    if stay:
        alarm.on()
        for d in stay:
            print("%d has been here for %.1f seconds" % (d.track_id, zone.seconds(d.track_id)))
    else:
        alarm.off()
    n6post.draw(img, people, color_by="track")
    n6post.draw(img, zone, color=(255, 0, 0) if stay else (0, 255, 0))
