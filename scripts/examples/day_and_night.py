"""Watch by day and by night: turn a lamp on in the dark, and accept lower scores then.

The lights of a passing car change nothing. The light is measured in a part of the picture that the lamp does not reach, such
as the sky.
"""

import csi
import n6post
from machine import Pin

MODEL = "/rom/yolov8n_192.tflite"  # or your own model, with its labels in the .txt file beside it
PART = (200, 0, 240, 60)  # x, y, width, height of the part in which the light is measured
DARK, BRIGHT = 40, 70  # 0..255: it becomes night below the first, and day above the second
SECONDS = 60.0  # for which it has to stay so
THRESHOLDS = 0.5, 0.3  # by day, by night

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

lamp = Pin("P7", Pin.OUT)
part = n6post.detections([PART])[0]
dark, is_night = n6post.Hold(SECONDS, release=SECONDS), None
model = n6post.load(MODEL, threshold=0.1)
tracker = n6post.Tracker(threshold=THRESHOLDS[0])

while True:
    img = cam.snapshot()
    dark.trigger(max(part.mean_color(img)) < (BRIGHT if is_night else DARK))
    if dark.state is not is_night and dark.state is not None:
        is_night = dark.state
        lamp.value(is_night)
        tracker.threshold = THRESHOLDS[is_night]
        print("night" if is_night else "day")
    n6post.draw(img, tracker.update(model.predict([n6post.Letterbox(img)])))
    for d in tracker.started:
        print("#%d %s" % (d.track_id, d.label))
