"""Persons with yolo_lc, which takes the N6's NPU 2 to 3 milliseconds: the fastest detector in the camera's ROM.

`load` reads it with YoloV2. Its boxes are rougher than those of YOLOv8, and one person often has several of them. A low
`iou_threshold` drops more of these. YOLOX, YOLOv5 and tiny YOLOv2 run with this script, too: change MODEL.
"""

import time

import csi
import n6post

MODEL = "/rom/yolo_lc_192.tflite"  # or your own model, with its labels in the .txt file beside it

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.5, iou_threshold=0.3)

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    detections = model.predict([n6post.Letterbox(img)])
    n6post.draw(img, detections)
    for d in detections:
        print("%s %.2f at %s" % (d.label, d.score, d.rect))
    print("%d found, %.1f fps" % (len(detections), clock.fps()))
