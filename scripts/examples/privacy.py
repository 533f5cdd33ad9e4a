"""Hide people behind coarse blocks, with the masks of YOLOv8-seg (or YOLO11-seg).

Everything beside a person stays sharp. The threshold is low because a hidden object too many does no harm.
"""

import time

import csi
import image
import n6post

BLOCK = 16  # pixels

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load("/rom/yolov8n_320_seg.tflite", threshold=0.2, classes=["person"])
hidden = image.Image(640, 480, image.GRAYSCALE)  # white on people

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    people = model.predict([n6post.Letterbox(img)])
    if people:
        hidden.clear()
        for person in people:
            person.mask.draw(hidden, color=(255, 255, 255), alpha=255)
        coarse = img.copy(x_scale=1 / BLOCK, y_scale=1 / BLOCK)
        img.draw_image(coarse, 0, 0, x_scale=BLOCK, y_scale=BLOCK, mask=hidden)
    print("%d people hidden, %.1f fps" % (len(people), clock.fps()))
