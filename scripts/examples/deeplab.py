"""Semantic segmentation with DeepLab: a class for every pixel, and the fraction of the frame that each class covers.

Use ST's deeplab_v3_mobilenetv2 (person or background), for example, or your own model with up to 255 classes. The
labels are the lines of the .txt file beside the model; the first line is the background.
"""

import time

import csi
import n6post

MODEL = "/rom/deeplab_v3_320.tflite"  # or your own model, with its labels in the .txt file beside it

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, background=0)

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    segmentation = model.predict([n6post.Letterbox(img)])
    n6post.draw(img, segmentation)
    for class_id in segmentation.class_ids():
        percent = 100 * segmentation.fraction(class_id)
        print("%s: %.1f %% of the frame" % (segmentation.label(class_id), percent))
    middle = segmentation.class_at(img.width() // 2, img.height() // 2)
    if middle is not None:  # None: outside of the model's input
        print("%s in the middle" % segmentation.label(middle))
    print("%.1f fps" % clock.fps())
