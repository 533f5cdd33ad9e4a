"""The face mesh of up to two faces: eyes, mouth and contours from 468 keypoints. It measures how far they are open.

Both models are in the ROMFS of the camera. The face detector rests while the second model follows two faces by itself.
"""

import time

import csi
import n6post

MODEL = "/rom/blazeface_front_128.tflite"  # or another model that finds faces with their eyes
LANDMARKS = "/rom/face_landmarks_192.tflite"

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)
faces = n6post.Pipeline(n6post.load(MODEL), n6post.load(LANDMARKS))


def ratio(face, a, b, c, d):
    """How far a and b are apart, as a fraction of the distance of c and d."""
    return face.distance(a, b) / max(face.distance(c, d), 1)


clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    found = faces.predict(img)
    n6post.draw(img, found)
    for face in found:
        eye = ratio(face, "left eye top", "left eye bottom", "left eye outer", "left eye inner")  # below 0.15: closed
        mouth = ratio(face, "upper lip inner", "lower lip inner", "left mouth corner", "right mouth corner")
        print("left eye open %.2f, mouth %.2f" % (eye, mouth))
    print("%.1f fps" % clock.fps())
