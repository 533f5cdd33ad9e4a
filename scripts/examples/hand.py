"""Gestures of up to two hands: which fingers are extended, by the angle at their middle joint.

Both models are in the ROMFS of the camera. The palm detector rests while the second model follows two hands by itself.
"""

import time

import csi
import n6post

MODEL = "/rom/palm_detection_full_192.tflite"  # or another model that finds palms with their keypoints
LANDMARKS = "/rom/hand_landmarks_full_224.tflite"
FINGERS = ("index finger", "middle finger", "ring finger", "pinky")
GESTURES = {(): "fist", ("index finger",): "pointing", ("index finger", "middle finger"): "peace", FINGERS: "open hand"}

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

hands = n6post.Pipeline(n6post.load(MODEL), n6post.load(LANDMARKS))


def caption(hand):
    # The angle at the middle joint of a straight finger is 180 degrees.
    fingers = tuple([f for f in FINGERS if (hand.angle(f + " mcp", f + " pip", f + " tip") or 0) > 150])
    return "%s: %s" % (hand.label, GESTURES.get(fingers, "%d fingers" % len(fingers)))


clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    found = hands.predict(img)
    n6post.draw(img, found, labels=caption)
    for hand in found:
        print("%s, index finger at %d, %d" % ((caption(hand),) + hand.keypoint("index finger tip")[:2]))
    print("%.1f fps" % clock.fps())
