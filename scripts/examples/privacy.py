"""Hide people, or other objects, behind coarse blocks, with the masks of YOLOv8-seg (or YOLO11-seg).

Everything beside them stays sharp. An object that the network misses for a moment stays hidden. The threshold is low
because hiding one object too many does no harm. A model without masks hides the boxes.
"""

import time

import csi
import n6post

MODEL = "/rom/yolov8n_320_seg.tflite"  # or your own model, with its labels in the .txt file beside it
CLASSES = ["person"]  # the labels to hide; None: everything that the model finds
SECONDS = 1.0  # for which an object that is missed stays hidden, where it is by its speed

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.1, classes=CLASSES)
tracker = n6post.Tracker(threshold=0.2, min_hits=1, coast=SECONDS, smooth_boxes=False)

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    found = tracker.update(model.predict([n6post.Letterbox(img)]))
    n6post.hide(img, found, how="pixelate", grow=0.2)  # or "blur" or "fill"
    print("%d hidden, %.1f fps" % (len(found), clock.fps()))
