"""How long do people wait? A zone counts the people in a queue, and reports how long each of them was there.

Set ZONE to the corners of the place where they wait. The position of a person is the middle of the bottom edge of the box.
"""

import csi
import n6post

MODEL = "/rom/yolov8n_192.tflite"  # or your own model, with its labels in the .txt file beside it
ZONE = [(200, 160), (460, 160), (600, 470), (60, 470)]  # the corners in frame pixels
SECONDS = 5.0  # who is in the zone for a shorter time only passes

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

# The model returns low scores too: they continue a track, but only scores above the tracker's threshold begin one.
model = n6post.load(MODEL, threshold=0.1)
tracker = n6post.Tracker(threshold=0.4)
zone = n6post.PolygonZone(ZONE, max_gap=2.0, min_seconds=SECONDS)  # somebody who is hidden for two seconds has not left

while True:
    img = cam.snapshot()
    people = tracker.update(model.predict([n6post.Letterbox(img)]))
    waiting = zone.trigger(people)
    for d in zone.entered:
        print("#%d joined: %d waiting" % (d.track_id, zone.current_count))
    for visit in zone.left:
        print("#%d left after %.1f seconds, mean %.1f seconds" % (visit.track_id, visit.dwell_time, zone.mean_dwell_time))
    n6post.draw(img, zone)
    n6post.draw(img, waiting, color_by="track", labels=lambda d: "%.0f s" % zone.dwell_time(d))
