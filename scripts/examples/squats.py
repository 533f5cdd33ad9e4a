"""Count the squats of a person, by the angle of the knees: below BENT, and back above STRAIGHT.

The camera looks from the side, and a little from the front: it has to see both legs. Walking bends
one knee at a time, and does not count.
"""

import csi
import n6post

MODEL = "/rom/movenet_singlepose_192.tflite"  # or another model that finds keypoints of people
STRAIGHT, BENT = 150, 110  # degrees

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL)
tracker = n6post.Tracker(smooth_keypoints=True)
squats = n6post.Repetitions(STRAIGHT, BENT)


def knees(person):
    """The angle of the straighter knee; None if one of them was not seen."""
    left, right = [person.angle(side + "hip", side + "knee", side + "ankle") for side in ("left ", "right ")]
    return None if left is None or right is None else max(left, right)


while True:
    img = cam.snapshot()
    people = tracker.update(model.predict([n6post.Letterbox(img)]))
    for d in people:
        count = squats.update(knees(d), track=d)
        if count > d.data.get("squats", 0):
            print("#%d: %d squats" % (d.track_id, count))
        d.data["squats"] = count
    n6post.draw(img, people, labels=lambda d: str(d.data["squats"]))
