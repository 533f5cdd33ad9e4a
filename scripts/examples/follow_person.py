"""A robot follows the nearest person with two servos as wheels, at a distance, and stops when it has lost this person.

It follows nobody else until the track has ended. Each frame it prints "following #3: 1700, 1350", the pulses of both
wheels in microseconds, or "stop".
"""

import csi
import n6post
from machine import PWM

MODEL = "/rom/yolov8n_192.tflite"  # or your own model, with its labels in the .txt file beside it
CLASSES = None  # everything that the model finds; ["person", "dog"]: only what has these labels
HEIGHT = 0.7  # of the person's box in the frame, where the robot stops
STOP, SPEED, TURN = 1500, 400, 300  # microseconds; set SPEED below 0 if the robot drives away from you

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

wheels = [PWM(pin, freq=50, duty_ns=1000 * STOP) for pin in ("P7", "P8")]  # left, right
model = n6post.load(MODEL, threshold=0.1, classes=CLASSES)
tracker = n6post.Tracker(threshold=0.4, coast=0.3)  # seconds on which it drives on without seeing the person
followed = None

while True:
    img = cam.snapshot()
    people = tracker.update(model.predict([n6post.Letterbox(img)]))
    if followed not in [track.track_id for track in tracker.tracks]:
        followed = max(people, key=lambda d: d.rect[3]).track_id if people else None
    pulses = STOP, STOP
    for d in people:
        if d.track_id == followed:
            ahead = SPEED * max(0, 1 - d.rect[3] / img.height() / HEIGHT)
            turn = TURN * (2 * d.center[0] / img.width() - 1)  # to the right
            pulses = int(STOP + ahead + turn), int(STOP - ahead + turn)  # the right wheel is mounted the other way round
    for wheel, pulse in zip(wheels, pulses):
        wheel.duty_ns(1000 * pulse)
    print("stop" if pulses == (STOP, STOP) else "following #%s: %d, %d" % (followed, pulses[0], pulses[1]))
    n6post.draw(img, people, color_by="track")
