"""Oriented boxes with YOLO11-obb: where an object lies, how it is turned and how long it is.

A gripper or a sorting gate needs more than an upright box. The network was trained with oriented boxes, which Ultralytics
calls OBB.
"""

import time

import csi
import n6post

MODEL = "/rom/yolo11n_obb_256.tflite"  # or another OBB, with its labels in the .txt file beside it

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.5)

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    parts = model.predict([n6post.Letterbox(img)])  # keeps right angles, unlike a stretched picture
    n6post.draw(img, parts)
    for part in parts:
        x, y = part.center
        long, short = part.sides
        # 0 degrees is horizontal, 90 upright; a box that is turned by half a turn looks the same.
        print("%s at %d, %d: %.0f degrees, %.0f x %.0f pixels" % (part.label, x, y, part.rotation, long, short))
    print("%d parts, %.1f fps" % (len(parts), clock.fps()))
