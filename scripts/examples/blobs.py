"""Track colored objects, and say how long each stays in a zone: find_blobs, without any network.

The results of find_blobs become Detections. Tracking, zones, drawing and JSON treat them as those of a network.
"""

import csi
import n6post

# Lightness, A and B, each from and to, for red and green. OpenMV IDE finds yours: Tools, Machine Vision, Threshold Editor.
THRESHOLDS = [(30, 100, 15, 127, 15, 127), (30, 100, -128, -15, 0, 127)]
LABELS = ["red", "green"]  # one for each threshold
SMALLEST = 200  # pixels

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.QVGA)

tracker = n6post.Tracker()
zone = n6post.PolygonZone([(160, 0), (319, 0), (319, 239), (160, 239)])  # the right half

while True:
    img = cam.snapshot()
    blobs = img.find_blobs(THRESHOLDS, pixels_threshold=SMALLEST, area_threshold=SMALLEST, merge=True)
    objects = tracker.update(n6post.detections(blobs, frame=img, labels=LABELS))
    for d in zone.trigger(objects):
        print("#%d %s in the right half for %.1f s" % (d.track_id, d.label, zone.dwell_time(d)))
    n6post.draw(img, zone)
    n6post.draw(img, objects, color_by="track")
