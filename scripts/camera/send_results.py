"""What the camera sees, a line of JSON a frame over a UART: for a robot, a PLC, another microcontroller.

The other side reads lines: [{"rect": [x, y, w, h], "score": 0.87, "class_id": 0, "label": "person", "track_id": 3}, ...]
"""

import csi
import n6post
from machine import UART

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load("/rom/yolov8n_192.tflite", threshold=0.1)
tracker = n6post.Tracker(threshold=0.4)
uart = UART(3, 115200)  # the pins P4 (TX) and P5 (RX)

while True:
    img = cam.snapshot()
    found = tracker.update(model.predict([img]))
    uart.write(n6post.to_json(found) + "\n")
    n6post.draw(img, found, color_by="track")
