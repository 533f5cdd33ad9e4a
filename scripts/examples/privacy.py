"""Hide people, or other objects, behind coarse blocks, with the masks of YOLOv8-seg (or YOLO11-seg).

Everything beside them stays sharp. The threshold is low because hiding one object too many does no harm. A model without
masks hides the boxes.
"""

import time

import csi
import n6post

MODEL = "/rom/yolov8n_320_seg.tflite"  # or your own model, with its labels in the .txt file beside it
CLASSES = ["person"]  # the labels to hide; None: everything that the model finds

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.2, classes=CLASSES)

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    found = model.predict([n6post.Letterbox(img)])
    n6post.hide(img, found, how="pixelate")  # or "blur" or "fill"
    print("%d hidden, %.1f fps" % (len(found), clock.fps()))
