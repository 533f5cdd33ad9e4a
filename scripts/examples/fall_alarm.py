"""Fall alarm: reports a person who lies. Bending over, kneeling, sitting on the floor and tying shoes are no falls.

A person lies while neither the torso nor the legs are upright. Who lies with the feet straight towards the camera still
looks upright: two cameras that look from two sides see everybody.
"""

import csi
import n6post

MODEL = "/rom/movenet_singlepose_192.tflite"  # or another model that finds keypoints of people
SECONDS = 3.0  # of lying before the alarm: who slips gets up again sooner
UPRIGHT = 60  # degrees from the vertical by which a torso or a leg may lean

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL)
lying, alarm = n6post.Fraction(SECONDS), n6post.Hold(0, release=1.0)  # wrong and missed poses change little


def lean(person, upper, lower, unseen):
    angles = [person.limb_angle(side + upper, side + end) for side in ("left ", "right ") for end in lower]
    return min([angle for angle in angles if angle is not None], default=unseen)


def lies(person):
    torso = lean(person, "shoulder", ["hip"], 0)
    legs = lean(person, "hip", ["knee", "ankle"], 90 if person.rect[2] > person.rect[3] else 0)  # behind a sofa: the box
    return min(torso, legs) > UPRIGHT


while True:
    img = cam.snapshot()
    people = model.predict([n6post.Letterbox(img)])
    alarm.trigger(lying.update(any([lies(person) for person in people])) > 0.7)
    if alarm.changed and alarm.state:
        print("a person has fallen")
    n6post.draw(img, people)
