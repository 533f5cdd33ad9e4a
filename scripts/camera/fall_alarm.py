"""Somebody has fallen: MoveNet on an OpenMV camera, the way from the hips to the shoulders, and patience.

A person who lies has the shoulders beside the hips, not above them; who ties a shoe gets up again before SECONDS are over.
"""

import time

import csi
import n6post

SECONDS = 2.0

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load("/rom/movenet_singlepose_192.tflite")


def middle(person, part):
    """Between the left and the right one, (x, y); None where one of them is not seen."""
    left, right = person.joint("left " + part), person.joint("right " + part)
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
    people = model.predict([img])
    if not (people and lies(people[0])):
        upright = time.ticks_ms()
    seconds = time.ticks_diff(time.ticks_ms(), upright) / 1000
    if seconds >= SECONDS:
        print("somebody has been lying there for %.1f seconds" % seconds)
    n6post.draw(img, people)
