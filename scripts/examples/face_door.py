"""Open a door for known faces: hold the button to enroll the face in front of the camera.

While the button is held, one picture in twenty is enrolled if the face looks nearly ahead. Enrolled faces survive a restart.
A photograph opens the door, too: do not protect anything with it. docs/identities.md says what you may do with faces.
"""

import csi
import n6post
from machine import Pin

MODEL = "/rom/blazeface_front_128.tflite"  # or YuNet: a detector of faces with keypoints
FACES = "/rom/mobilefacenet.tflite"  # or another network that makes an embedding of an aligned face
FOLDER = "/sdcard"
SMALLEST = 60  # pixels: the width of a face that is large enough
MOST_TURNED = 20  # degrees, of a face that is enrolled

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

button, door = Pin("P0", Pin.IN, Pin.PULL_UP), Pin("P7", Pin.OUT)
faces = n6post.Pipeline(n6post.load(MODEL, threshold=0.4), n6post.load(FACES), max_detections=1)
gallery = n6post.Gallery(threshold=None)  # learned from the enrolled faces
state = n6post.State(FOLDER + "/faces", gallery=gallery)
known = n6post.Hold(0.5, release=2)  # seconds
name, count = None, 0

while True:
    img = cam.snapshot()
    if button.value():
        name = None
    elif not name and len(gallery) < gallery.max_names:
        name = "person %d" % (len(gallery) + 1)
    match, enrolled = None, False
    for face in faces.predict(img):
        if face.result is not None and face.rect[2] >= SMALLEST:
            match = gallery.match(face.result)
            count += 1
            if name and count % 20 == 0 and abs(n6post.face_turn(face)) < MOST_TURNED:
                gallery.enroll(name, face.result)
                enrolled = True
    known.trigger(match is not None)
    door.value(bool(known.state))
    if match:
        print("%s, %.2f" % (match.name, match.similarity))
    state.save(force=enrolled)
