"""Zone alarm: the LED and the zone turn red when a person stays inside a zone for three seconds."""

import csi
import n6post
from machine import LED

SECONDS = 3.0
# The corners in frame pixels. The position of a person is the middle of the bottom edge of the box.
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
    people = tracker.update(model.predict([n6post.Letterbox(img)]))
    inside = zone.trigger(people)
    stay = [d for d in inside if zone.dwell_time(d) >= SECONDS]
    if stay:
        alarm.on()
        for d in stay:
            print("%d has been here for %.1f seconds" % (d.track_id, zone.dwell_time(d)))
    else:
        alarm.off()
    n6post.draw(img, people, color_by="track")
    n6post.draw(img, zone, color=(255, 0, 0) if stay else (0, 255, 0))
