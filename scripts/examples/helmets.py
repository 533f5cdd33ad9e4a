"""Who has no helmet? Each person without one is reported once. The model has to know people and helmets.

A helmet counts if it is on the head, the upper third of a person's box, not if it is carried.
"""

import csi
import n6post

MODEL = "/rom/helmets_320.tflite"  # or your own model, with its labels in the .txt file beside it
PERSON = "person"  # two of its labels
HELMET = "helmet"
SECONDS = 3.0  # a helmet that is missed, or seen where none is, for a moment of these changes nothing

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.1, classes=[PERSON, HELMET])
tracker = n6post.Tracker(threshold=0.4)
bare = n6post.Fraction(SECONDS)


def head(person):
    x, y, w, h = person.rect
    return person.replace(rect=(x, y, w, h // 3))


while True:
    img = cam.snapshot()
    objects = model.predict([n6post.Letterbox(img)])
    people = tracker.update([d for d in objects if d.label == PERSON])
    people = [d for d in people if d.rect[1] > 0]  # where the frame cuts off a head, there is none to look at
    helmets = [d for d in objects if d.label == HELMET and d.score >= 0.3]
    safe = [person.track_id for _, person in n6post.pairs(helmets, [head(person) for person in people])]
    for d in people:
        if bare.update(d.track_id not in safe, track=d) > 0.7 and not d.data.get("reported"):
            d.data["reported"] = True
            print("#%d has no helmet" % d.track_id)
    n6post.draw(img, people, color=[(0, 255, 0) if d.track_id in safe else (255, 0, 0) for d in people])
