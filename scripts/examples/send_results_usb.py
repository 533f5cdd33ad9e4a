"""Print one line of JSON per frame, which the PC reads at the other end of the USB cable.

Run `python3 scripts/camera.py run scripts/examples/send_results_usb.py --json-out results.jsonl`, or save the script as
main.py and read the serial port with a program of your own, which skips lines that are no JSON: docs/results.md.
A line: [{"rect": [x, y, w, h], "score": 0.87, "class_id": 0, "label": "person", "track_id": 3}, ...]
"""

import csi
import n6post

MODEL = "/rom/yolov8n_192.tflite"  # or your own model, with its labels in the .txt file beside it

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.1)
tracker = n6post.Tracker(threshold=0.4)

while True:
    img = cam.snapshot()
    detections = tracker.update(model.predict([n6post.Letterbox(img)]))
    print(n6post.to_json(detections))  # one line per frame
    n6post.draw(img, detections, color_by="track")
