"""Find defective parts, after a look at some good ones: a lamp shows a reject, and its picture is saved.

Press the button once for each good part, thirty or more, each put down anew. What was learned survives a restart.
"""

import csi
import n6post
from machine import Pin

MODEL = "/rom/yolov8n_192_features.tflite"  # or another network, cut by n6post optimize --features
PART = (80, 0, 480, 480)  # x, y, width, height of the square in which the part lies
FOLDER = "/sdcard"

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

button, lamp = Pin("P0", Pin.IN, Pin.PULL_UP), Pin("P7", Pin.OUT)
anomaly = n6post.Anomaly()
model = n6post.load(MODEL, processor=anomaly)
counts = {"rejects": 0}
state = n6post.State(FOLDER + "/defects", anomaly=anomaly, counts=counts)
pressed, reject = n6post.Hold(0.05), n6post.Hold(0.5)  # seconds

while True:
    img = cam.snapshot()
    pressed.trigger(not button.value())
    if pressed.changed and pressed.state:
        anomaly.learn(1)
    result = model.predict([n6post.Stretch(img, roi=PART)])
    n6post.draw(img, result)
    reject.trigger(result.verdict in ("defect", "changed"))
    lamp.value(bool(reject.state))
    if reject.changed and reject.state:
        counts["rejects"] += 1
        img.save("%s/reject_%d.jpg" % (FOLDER, counts["rejects"]))
        print(result.verdict, n6post.to_json(result))
    state.save(force=reject.changed or pressed.changed)
