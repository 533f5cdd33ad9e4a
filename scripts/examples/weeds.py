"""How many square meters of weeds are there? Patches of one class on the ground, with their places and areas in meters.

Set IMAGE_POINTS to four frame pixels and WORLD_POINTS to their places on the ground, as for speed.py.
"""

import csi
import n6post

MODEL = "/rom/weeds_160.tflite"  # or your own model, with its labels in the .txt file beside it
WEED = 1  # the number of the class
IMAGE_POINTS = [(170, 160), (470, 160), (639, 479), (0, 479)]
WORLD_POINTS = [(0, 1.5), (1, 1.5), (1, 0), (0, 0)]  # a strip of the ground: 1 m wide, 1.5 m long
MIN_AREA = 0.001  # square meters; smaller patches are noise

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, background=0)
plane = n6post.Plane(IMAGE_POINTS, WORLD_POINTS, anchor="centroid")

while True:
    img = cam.snapshot()
    segmentation = model.predict([n6post.Letterbox(img)])
    total = 0.0
    for d in segmentation.objects(WEED):
        area, place = plane.area(d.mask), plane.to_world(d)
        if area and place and area >= MIN_AREA:  # None: on the horizon
            total += area
            print("%.3f square meters at %.2f, %.2f m" % (area, place[0], place[1]))
    print("%.3f square meters of weeds" % total)
    n6post.draw(img, segmentation)
    n6post.draw(img, plane)
