"""Objects with boxes: YOLOv8 (or YOLO11) on an OpenMV camera, names from the labels beside the model.

`load` tells from the model which post-processor it needs. OpenMV's own person detector is in the ROMFS
already; a model of yours is /rom/NAME.tflite, and its labels are the lines of /rom/NAME.txt.
"""

import time

import csi
import n6post

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load("/rom/yolov8n_192.tflite", threshold=0.4, nms_threshold=0.5)

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    found = model.predict([img])
    n6post.draw(img, found)
    for d in found:
        x, y, w, h = d.rect
        print("%s %.2f, middle at %d, %d" % (d.label, d.score, x + w // 2, y + h // 2))
    print("%.1f fps" % clock.fps())
