"""Learn things from a few pictures each: hold one in front of the camera, and press the button five times.

Then pause for two seconds, and show the next thing. Everything survives a restart. The features are those of a network that
was trained for something else, cut by `n6post optimize MODEL --features`.
"""

import csi
import n6post
from machine import Pin

MODEL = "/rom/yolov8n_192_features.tflite"  # or the features of another network
FOLDER = "/sdcard"
PAUSE = 2.0  # seconds without the button, after which a picture is that of another thing

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, processor=n6post.Embedding())
gallery = n6post.Gallery(threshold=None, max_vectors=10)
state = n6post.State(FOLDER + "/things", gallery=gallery)
button = Pin("P0", Pin.IN, Pin.PULL_UP)
resting, steady = n6post.Hold(PAUSE, release=0), n6post.Steady(0.5)
name, was_pressed, shown = None, False, None

while True:
    vector = model.predict([n6post.Crop(cam.snapshot())])
    pressed = not button.value()
    if resting.trigger(not pressed):
        name = None  # the next picture is that of another thing
    if pressed and not was_pressed:
        name = name or "thing %d" % (len(gallery) + 1)
        gallery.enroll(name, vector)
        state.save(force=True)
        print("a picture of", name)
    was_pressed = pressed
    match = gallery.match(vector)
    seen = steady.update(match.name if match else "nothing that I know")
    if seen not in (None, shown):
        shown = seen
        print(shown)
