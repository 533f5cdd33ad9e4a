"""Another background: YOLOv8-seg (or YOLO11-seg) on an OpenMV camera keeps people and puts a picture behind them.

Of a single object, `d.mask.cut_out(img)` paints over everything else at once.
"""

import time

import csi
import image
import ml
import n6post

BACKDROP = None  # a picture of the frame's size, for instance "/sdcard/beach.bmp"; None: green, as in a studio

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = ml.Model("/rom/yolov8n_320_seg.tflite", postprocess=n6post.YoloV8Seg(threshold=0.4, classes=[0]))  # COCO's person
backdrop = image.Image(BACKDROP) if BACKDROP else image.Image(640, 480, image.RGB565)
if not BACKDROP:
    backdrop.draw_rectangle((0, 0, 640, 480), color=(0, 160, 60), fill=True)

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    people = model.predict([img])
    scene = backdrop.copy()
    for person in people:
        rect = person.mask.rect  # None for an empty mask
        if rect:
            scene.draw_image(img, rect[0], rect[1], roi=rect, mask=person.mask.to_image())
    img.draw_image(scene, 0, 0)
    print("%d people before it, %.1f fps" % (len(people), clock.fps()))
