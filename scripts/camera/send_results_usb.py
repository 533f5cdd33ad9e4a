"""What the camera sees, a line of JSON a frame over the USB cable: what is printed is what the PC reads.

mpremote run scripts/camera/send_results_usb.py >> results.jsonl, or saved as main.py and any program that reads a
serial port: docs/results.md. A line: [{"rect": [x, y, w, h], "score": 0.87, "label": "person", "track_id": 3, ...}, ...]
"""

import csi
import n6post

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load("/rom/yolov8n_192.tflite", threshold=0.1)
tracker = n6post.Tracker(threshold=0.4)

while True:
    img = cam.snapshot()
    found = tracker.update(model.predict([img]))
    print(n6post.to_json(found))  # and nothing else: who reads expects a line a frame
    n6post.draw(img, found, color_by="track")
