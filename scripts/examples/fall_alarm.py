"""Fall alarm: MoveNet finds the shoulders and hips of a person, and the alarm goes off after SECONDS of lying.

The shoulders of a lying person are beside the hips, not above them. A person who ties a shoe gets up again in time.
"""

import csi
import n6post

MODEL = "/rom/movenet_singlepose_192.tflite"  # or another model that finds keypoints of people
SECONDS = 2.0

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL)
fallen = n6post.Hold(SECONDS, release=0.15)  # a pose that is missed for a moment does not end it


def lies(person):
    names = n6post.keypoint_names(len(person.keypoints))
    corners = [names.index(name) for name in ("left shoulder", "right shoulder", "left hip", "right hip")]
    a, b, c, d = [person.keypoints[corner] for corner in corners]  # x, y and score as floats
    if min(a[2], b[2], c[2], d[2]) < person.keypoint_threshold:
        return False  # not all of them are visible
    along = a + b - c - d
    return abs(along[0]) > abs(along[1])


while True:
    img = cam.snapshot()
    people = model.predict([n6post.Letterbox(img)])
    if fallen.trigger(any([lies(person) for person in people])):
        print("a person has been lying for %.1f seconds" % fallen.held_time())
    n6post.draw(img, people)
