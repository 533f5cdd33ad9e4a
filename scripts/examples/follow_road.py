"""Follow a road or a line: steer to the middle of one class of a segmentation network, and stop where it ends.

Set ROAD to the number or label of that class. Train the network with pictures of your road or line.
"""

import csi
import n6post

MODEL = "/rom/road_160.tflite"  # or your own model, with its labels in the .txt file beside it
ROAD = 1  # or "road"

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, background=0)

while True:
    img = cam.snapshot()
    segmentation = model.predict([n6post.Letterbox(img)])
    bands = segmentation.profile(ROAD, rows=8)
    n6post.draw(img, segmentation)
    seen = [band for band in bands[:4] if band.fraction > 0.05]  # of the lower half: what is near
    for band in seen:
        img.draw_circle((band.center, band.y, 6), color=(255, 255, 255), fill=True)
    if seen:
        ahead = sum([band.center for band in seen]) / len(seen)
        print("steer %+.2f" % (2 * ahead / img.width() - 1))  # -1 is left, 1 is right
    else:
        print("stop")
