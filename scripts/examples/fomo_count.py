"""Count objects with Edge Impulse's FOMO: how many are in the picture, and how many have passed a line.

OpenMV's own model, which finds faces, is in the ROMFS of the camera. Any FOMO that you trained with Edge Impulse works too:
export it as an OpenMV library and put its .tflite and labels.txt into the ROMFS, as best.tflite and best.txt.
"""

import time

import csi
import n6post

MODEL = "/rom/fomo_face_detection.tflite"  # or another FOMO, with its labels in the .txt file beside it

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.5)
tracker = n6post.Tracker()
line = n6post.LineZone((320, 479), (320, 0), anchor="center")  # "in" is to its left, seen from its start

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    found = model.predict([n6post.Stretch(img)])  # as Edge Impulse's "squash"; n6post.Crop for its "fit shortest axis"
    line.trigger(tracker.update(found))
    n6post.draw(img, line)
    n6post.draw(img, found, labels=lambda d: d.label)
    print("%d now: %s" % (len(found), ", ".join([d.label for d in found])))
    print("passed: %d to the left, %d to the right" % (line.in_count, line.out_count))
    print("%.1f fps" % clock.fps())
