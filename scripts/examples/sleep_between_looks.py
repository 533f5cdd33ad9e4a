"""Look every ten minutes, write down what is there, and sleep in between: for a camera with a battery.

machine.deepsleep ends with a restart, which runs main.py: save this script as main.py. Files and the clock survive it.
Variables do not, and with them tracks, zones and the loaded model. While the camera sleeps, it has no USB.
"""

import time

import csi
import machine
import n6post

MODEL = "/rom/yolov8n_192.tflite"  # or your own model, with its labels in the .txt file beside it
CLASSES = None  # everything that the model finds; ["person", "dog"]: only what has these labels
FILE = "/sdcard/looks.jsonl"
MINUTES = 10

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)
cam.snapshot(time=1000)  # frames that are skipped until the exposure fits

model = n6post.load(MODEL, threshold=0.4, classes=CLASSES)
objects = model.predict([n6post.Letterbox(cam.snapshot())])
now = "%04d-%02d-%02d %02d:%02d:%02d" % time.localtime()[:6]
line = '{"time": "%s", "objects": %s}' % (now, n6post.to_json(objects))
print(line)
with open(FILE, "a") as file:
    file.write(line + "\n")

cam.shutdown(True)
machine.deepsleep(60000 * MINUTES)
