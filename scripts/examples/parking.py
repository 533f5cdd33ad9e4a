"""Which parking spaces are free? A space is taken once vehicles have covered a part of it for SECONDS.

Set SPACES to the corners of yours, in frame pixels. A car that only passes does not count, and one that the network misses
for a moment has not left.
"""

import csi
import n6post

MODEL = "/rom/yolov8n_320_seg.tflite"  # or your own model, with its labels in the .txt file beside it
CLASSES = ["car", "truck", "bus"]  # the labels that take a space; None: everything that the model finds
SPACES = [
    [(60, 300), (200, 300), (170, 420), (10, 420)],
    [(200, 300), (340, 300), (330, 420), (170, 420)],
    [(340, 300), (480, 300), (490, 420), (330, 420)],
]
COVERED = 0.3  # fraction of a space that a vehicle covers at least
SECONDS = 3.0
COLORS = {True: (255, 0, 0), False: (0, 255, 0), None: (160, 160, 160)}  # taken, free, not known yet

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.3, classes=CLASSES)
spaces = [(n6post.PolygonZone(corners), n6post.Hold(SECONDS, release=SECONDS)) for corners in SPACES]

while True:
    img = cam.snapshot()
    vehicles = model.predict([n6post.Letterbox(img)])
    for zone, hold in spaces:
        hold.trigger(zone.occupancy(vehicles) >= COVERED)
        n6post.draw(img, zone, color=COLORS[hold.state], labels=False)
    n6post.draw(img, vehicles)  # last: no line crosses its labels
    taken = [hold.state for _, hold in spaces]
    print("looking at the spaces" if None in taken else "%d of %d spaces are free" % (taken.count(False), len(spaces)))
