"""Send one line of JSON per frame over a UART: to a robot, a PLC or another microcontroller.

A line: [{"rect": [x, y, w, h], "score": 0.87, "class_id": 0, "label": "person", "track_id": 3}, ...]
"""

import csi
import n6post
from machine import UART

MODEL = "/rom/yolov8n_192.tflite"  # or your own model, with its labels in the .txt file beside it

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.1)
tracker = n6post.Tracker(threshold=0.4)
uart = UART(3, 115200)  # the pins P4 (TX) and P5 (RX)

while True:
    img = cam.snapshot()
    detections = tracker.update(model.predict([n6post.Letterbox(img)]))
    n6post.to_json(detections, stream=uart)
    n6post.draw(img, detections, color_by="track")
