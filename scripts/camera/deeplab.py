"""A class for every pixel: DeepLab on an OpenMV camera, and how much of the frame each class covers.

For instance ST's deeplab_v3_mobilenetv2 (person or not), or your own with up to 255 classes; names are the
lines of the .txt beside the model, the first of them the background.
"""

import time

import csi
import n6post

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load("/rom/deeplab_v3_320.tflite", background=0)

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    seen = model.predict([img])
    n6post.draw(img, seen)
    for class_id in seen.present():
        print("%s: %.1f %% of the frame" % (seen.label(class_id), 100 * seen.share(class_id)))
    middle = seen.at(img.width() // 2, img.height() // 2)
    if middle is not None:  # None is where the network does not look
        print("%s in the middle" % seen.label(middle))
    print("%.1f fps" % clock.fps())
