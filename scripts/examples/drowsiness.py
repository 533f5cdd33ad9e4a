"""Is the driver awake? An alarm for eyes that stay closed, and a warning for eyes that are closed too often (PERCLOS).

A head that has sunk shows no open eyes either. Both models are in the ROMFS of the camera.
"""

import csi
import n6post

MODEL = "/rom/blazeface_front_128.tflite"  # or another model that finds faces with their eyes
LANDMARKS = "/rom/face_landmarks_192.tflite"
OPEN = 0.15  # the height of an open eye, as a fraction of its width; face_mesh.py prints yours
EYES = "left eye ", "right eye "
ASLEEP, WINDOW, DROWSY = 1.5, 60.0, 0.15  # seconds; seconds, and the fraction of them: blinking takes about 0.05

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

faces = n6post.Pipeline(n6post.load(MODEL), n6post.load(LANDMARKS), max_detections=1)
asleep, tired = n6post.Hold(ASLEEP, release=0.2), n6post.Hold(0, release=5.0)
closed = n6post.Fraction(WINDOW)


def is_open(face):
    return any([face.distance(e + "top", e + "bottom") > OPEN * face.distance(e + "outer", e + "inner") for e in EYES])


while True:
    img = cam.snapshot()
    found = faces.predict(img)
    is_closed = not any([is_open(face) for face in found])
    asleep.trigger(is_closed)
    if asleep.changed and asleep.state:
        print("wake up: no open eyes for %.1f seconds" % asleep.held_time())
    tired.trigger(len(found) and closed.update(is_closed) > DROWSY)
    if tired.changed and tired.state:
        print("take a break: the eyes are closed too often")
    n6post.draw(img, found)
