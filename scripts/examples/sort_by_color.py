"""Sort objects by color: a servo turns to the bin of each object that crosses the line.

Set COLORS to the colors (r, g, b) that the script prints for your objects in your light, and PULSES to the positions of the
servo. Of a model with masks, the color is that of the object alone.
"""

import csi
import n6post
from machine import PWM

MODEL = "/rom/yolov8n_320_seg.tflite"  # or your own model, with its labels in the .txt file beside it
CLASSES = None  # everything that the model finds; ["apple"]: only what has these labels
COLORS = {"red": (145, 40, 35), "green": (130, 150, 65), "purple": (75, 45, 100)}
PULSES = {"red": 1000, "green": 1500, "purple": 2000}  # microseconds

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.4, classes=CLASSES)
tracker = n6post.Tracker()
line = n6post.LineZone((320, 0), (320, 479), anchor="center")  # "in" is to the right here
servo = PWM("P7", freq=50, duty_ns=1500000)

while True:
    img = cam.snapshot()
    objects = tracker.update(model.predict([n6post.Letterbox(img)]))
    for d in line.trigger(objects)[0]:
        color = d.mean_color(img)  # before anything is drawn
        name = min(COLORS, key=lambda name: sum([(a - b) ** 2 for a, b in zip(COLORS[name], color)]))  # the nearest
        servo.duty_ns(1000 * PULSES[name])
        print("#%d %s is %s: %s" % (d.track_id, d.label, name, color))
    n6post.draw(img, line)
    n6post.draw(img, objects, color_by="track")
