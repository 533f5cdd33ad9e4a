"""How fast is it? The speed of vehicles or people in km/h, from four points on the ground whose places you have measured.

Set IMAGE_POINTS to their frame pixels and WORLD_POINTS to their places in meters, in the same order. The farther apart they
are in the frame, the better.
"""

import csi
import n6post

MODEL = "/rom/yolov8n_192.tflite"  # or your own model, with its labels in the .txt file beside it
CLASSES = None  # everything that the model finds; ["car", "truck", "bus"]: only what has these labels
IMAGE_POINTS = [(170, 160), (470, 160), (639, 479), (0, 479)]
WORLD_POINTS = [(0, 20), (6, 20), (6, 0), (0, 0)]  # a strip of the road: 6 m wide, 20 m long
LIMIT = 30  # km/h

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.1, classes=CLASSES)
tracker = n6post.Tracker(threshold=0.4)
plane = n6post.Plane(IMAGE_POINTS, WORLD_POINTS)

while True:
    img = cam.snapshot()
    objects = plane.update(tracker.update(model.predict([n6post.Letterbox(img)])))
    colors, labels = [], []
    for d in objects:
        speed = plane.speed(d)  # None until it was seen for half a second, and while the border cuts it off
        color = (160, 160, 160) if speed is None else (0, 255, 0)
        if speed is not None and speed > LIMIT:
            print("#%d %s: %.0f km/h" % (d.track_id, d.label, speed))
            color = (255, 0, 0)
        colors.append(color)
        labels.append(None if speed is None else "%.0f km/h" % speed)
    n6post.draw(img, objects, color=colors, labels=labels)
