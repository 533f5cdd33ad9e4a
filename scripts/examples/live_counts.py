"""Live counts and frame rate in OpenMV IDE, in a channel of firmware 5.0's protocol (N6, AE3, RT1062).

Your own programs can read the channel too: docs/results.md. Firmware 4.8.1 has no channels; use count_people.py there.
"""

import time

import csi
import n6post
import protocol
from protocol import CBORChannel

MODEL = "/rom/yolov8n_192.tflite"  # or your own model, with its labels in the .txt file beside it
CLASSES = None  # everything that the model finds; ["person", "dog"]: only what has these labels

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.1, classes=CLASSES)
tracker = n6post.Tracker(threshold=0.4)
line = n6post.LineZone((0, 240), (639, 240))  # "in" is to its left, seen from its start: upwards here
clock = time.clock()
now = {"people": 0, "in": 0, "out": 0, "fps": 0.0}


def update(channel):
    """Runs between two lines of the loop when the PC reads the channel. It costs nothing if no PC reads."""
    for name in now:
        if channel[name] != now[name]:  # setting a value packs all values again
            channel[name] = now[name]


labels = CBORChannel(on_read=update)
for name in ("people", "in", "out", "fps"):
    labels.add(name, type="label")
protocol.register(name="people", backend=labels)

while True:
    clock.tick()
    img = cam.snapshot()
    people = tracker.update(model.predict([n6post.Letterbox(img)]))
    line.trigger(people)
    now.update({"people": len(people), "in": line.in_count, "out": line.out_count, "fps": round(clock.fps(), 1)})
    n6post.draw(img, line)
    n6post.draw(img, people, color_by="track")
