"""Replace the background: YOLOv8-seg (or YOLO11-seg) keeps people, or other objects, before a picture.

To keep only one object, `d.mask.fill_outside(img)` is enough: it paints over everything else.
"""

import time

import csi
import image
import n6post

MODEL = "/rom/yolov8n_320_seg.tflite"  # or your own model, with its labels in the .txt file beside it
CLASSES = ["person"]  # the labels to keep; None: everything that the model finds
BACKDROP = None  # a picture of the frame's size, for example "/sdcard/beach.bmp"; None: plain green

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.4, classes=CLASSES)
backdrop = image.Image(BACKDROP) if BACKDROP else image.Image(640, 480, image.RGB565)
if not BACKDROP:
    backdrop.draw_rectangle((0, 0, 640, 480), color=(0, 160, 60), fill=True)

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    kept = model.predict([n6post.Letterbox(img)])
    scene = backdrop.copy()
    for d in kept:
        rect = d.mask.rect  # None if the mask is empty
        if rect:
            scene.draw_image(img, rect[0], rect[1], roi=rect, mask=d.mask.to_image())
    img.draw_image(scene, 0, 0)
    print("%d in front, %.1f fps" % (len(kept), clock.fps()))
