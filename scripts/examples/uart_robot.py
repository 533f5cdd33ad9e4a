"""Send what the camera sees to a robot, over a UART, in messages of 7 bytes and 18 for each object.

The robot follows the first object of a message: the one that it followed before, else the highest, which is probably the
nearest. arduino_robot is the other end, a sketch with a parser in C. docs/results.md explains the message.
"""

import csi
import n6post
from machine import UART

MODEL = "/rom/yolov8n_192.tflite"  # or your own model, with its labels in the .txt file beside it
CLASSES = None  # everything that the model finds; ["person", "dog"]: only what has these labels

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.1, classes=CLASSES)
tracker = n6post.Tracker(threshold=0.4)
uart = UART(3, 115200)  # the pins P4 (TX) and P5 (RX)
followed = None

while True:
    img = cam.snapshot()
    objects = tracker.update(model.predict([n6post.Letterbox(img)]))
    objects.sort(key=lambda d: (d.track_id != followed, -d.rect[3]))
    if objects:
        followed = objects[0].track_id
    uart.write(n6post.to_bytes(objects[:32]))  # the parser takes 32; without objects too, so that the robot stops
    n6post.draw(img, objects, color_by="track")
