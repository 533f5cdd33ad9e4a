"""Gestures of up to two hands: which fingers are stretched.

Both models are in the ROMFS of the camera. The palm detector rests while the second model follows two hands by itself.
"""

import time

import csi
import n6post

MODEL = "/rom/palm_detection_full_192.tflite"  # or another model that finds palms with their keypoints
LANDMARKS = "/rom/hand_landmarks_full_224.tflite"
# By which of the index, middle, ring finger and pinky are stretched; fingers[0] is the thumb.
GESTURES = {(0, 0, 0, 0): "fist", (1, 0, 0, 0): "pointing", (1, 1, 0, 0): "peace", (1, 1, 1, 1): "open hand"}

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

hands = n6post.Pipeline(n6post.load(MODEL), n6post.load(LANDMARKS))


def caption(hand):
    fingers = hand.fingers[1:]
    return "%s: %s" % (hand.label, GESTURES.get(fingers, "%d fingers" % sum(fingers)))


clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    found = hands.predict(img)
    n6post.draw(img, found, labels=caption)
    for hand in found:
        print("%s, index finger at %d, %d" % ((caption(hand),) + hand.keypoint("index finger tip")[:2]))
    print("%.1f fps" % clock.fps())
