"""Watch what the network finds in a browser: the frames, with boxes and labels, as a stream over WiFi.

Set SSID and KEY, and open the address that the script prints. The loop never waits for a browser.
"""

import time

import csi
import n6post
import network

SSID = "name of your network"
KEY = "its password"
MODEL = "/rom/yolov8n_192.tflite"  # or your own model, with its labels in the .txt file beside it

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

model = n6post.load(MODEL, threshold=0.1)
tracker = n6post.Tracker(threshold=0.4)
server = n6post.MjpegServer(8080)
print("http://%s:8080" % wlan.ifconfig()[0])

while True:
    img = cam.snapshot()
    people = tracker.update(model.predict([n6post.Letterbox(img)]))
    n6post.draw(img, people, color_by="track")
    server.send(img)
