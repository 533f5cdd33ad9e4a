"""People made unrecognisable: YOLOv8-seg (or YOLO11-seg) on an OpenMV camera hides them behind coarse blocks.

By their masks: what is beside a person stays sharp. A low threshold, for a face too many hidden does no harm.
"""

import time

import csi
import image
import ml
import n6post

BLOCK = 16  # pixels

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = ml.Model("/rom/yolov8n_320_seg.tflite", postprocess=n6post.YoloV8Seg(threshold=0.2, classes=[0]))  # COCO's person
hidden = image.Image(640, 480, image.GRAYSCALE)  # white where somebody is

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    people = model.predict([img])
    if people:
        hidden.clear()
        for person in people:
            person.mask.draw(hidden, color=(255, 255, 255), alpha=255)
        coarse = img.copy(x_scale=1 / BLOCK, y_scale=1 / BLOCK)
        img.draw_image(coarse, 0, 0, x_scale=BLOCK, y_scale=BLOCK, mask=hidden)
    print("%d people hidden, %.1f fps" % (len(people), clock.fps()))
