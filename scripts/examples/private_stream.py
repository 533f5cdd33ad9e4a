"""Show the frames in a browser, with all people hidden behind coarse blocks. No frame leaves the camera before that.

Set SSID and KEY, and open the address that the script prints. People whom the network misses for a moment stay hidden.
"""

import time

import csi
import n6post
import network

SSID = "name of your network"
KEY = "its password"
MODEL = "/rom/yolov8n_192.tflite"  # or your own model, with its labels in the .txt file beside it
CLASSES = ["person"]  # the labels to hide; None: everything that the model finds
SECONDS = 1.0  # for which a person who is missed stays hidden

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

wlan = network.WLAN(network.STA_IF)
wlan.active(True)
wlan.connect(SSID, KEY)
while not wlan.isconnected():
    print("connecting to", SSID)
    time.sleep(1)

model = n6post.load(MODEL, threshold=0.1, classes=CLASSES)
tracker = n6post.Tracker(threshold=0.2, min_hits=1, coast=SECONDS, smooth_boxes=False)
server = n6post.MjpegServer(8080)
print("http://%s:8080" % wlan.ifconfig()[0])

while True:
    img = cam.snapshot()
    n6post.hide(img, tracker.update(model.predict([n6post.Letterbox(img)])), grow=0.2)
    server.send(img)
