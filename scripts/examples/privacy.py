"""Hide people, or other objects, behind coarse blocks, with the masks of YOLOv8-seg (or YOLO11-seg).

Everything beside them stays sharp. The threshold is low because a hidden object too many does no harm.
"""

import time

import csi
import image
import n6post

MODEL = "/rom/yolov8n_320_seg.tflite"  # or your own model, with its labels in the .txt file beside it
CLASSES = ["person"]  # the labels to hide; None: everything that the model finds
BLOCK = 16  # pixels

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.2, classes=CLASSES)
hidden = image.Image(640, 480, image.GRAYSCALE)  # white on what is hidden

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    found = model.predict([n6post.Letterbox(img)])
    if found:
        hidden.clear()
        for d in found:
            d.mask.draw(hidden, color=(255, 255, 255), alpha=255)
        coarse = img.copy(x_scale=1 / BLOCK, y_scale=1 / BLOCK)
        img.draw_image(coarse, 0, 0, x_scale=BLOCK, y_scale=BLOCK, mask=hidden)
    print("%d hidden, %.1f fps" % (len(found), clock.fps()))
