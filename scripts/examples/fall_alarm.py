"""Fall alarm: MoveNet finds the shoulders and hips of a person, and the alarm goes off after SECONDS of lying.

The shoulders of a lying person are beside the hips, not above them. A person who ties a shoe gets up again in time.
"""

import time

import csi
import n6post

MODEL = "/rom/movenet_singlepose_192.tflite"  # or another model that finds keypoints of people
SECONDS = 2.0

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL)


def middle(person, part):
    """(x, y) halfway between the left and the right keypoint; None if one of them is not visible."""
    left, right = person.keypoint("left " + part), person.keypoint("right " + part)
    if min(left[2], right[2]) < person.keypoint_threshold:
        return None
    return (left[0] + right[0]) // 2, (left[1] + right[1]) // 2


def lies(person):
    hips, shoulders = middle(person, "hip"), middle(person, "shoulder")
    if hips is None or shoulders is None:
        return False
    return abs(shoulders[0] - hips[0]) > abs(shoulders[1] - hips[1])


upright = time.ticks_ms()
while True:
    img = cam.snapshot()
    people = model.predict([n6post.Letterbox(img)])
    if not (people and lies(people[0])):
        upright = time.ticks_ms()
    seconds = time.ticks_diff(time.ticks_ms(), upright) / 1000
    if seconds >= SECONDS:
        print("a person has been lying for %.1f seconds" % seconds)
    n6post.draw(img, people)
