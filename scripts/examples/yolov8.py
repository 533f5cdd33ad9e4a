"""Object detection with YOLOv8, YOLO11 or YOLO26: boxes, labels and scores.

`load` chooses the post-processor from the model's outputs. OpenMV's own person detector is in the ROMFS of the camera.
Put your own model into it as /rom/NAME.tflite, its labels as the lines of /rom/NAME.txt, and change MODEL.
"""

import time

import csi
import n6post

MODEL = "/rom/yolov8n_192.tflite"  # or your own model, with its labels in the .txt file beside it

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.4, iou_threshold=0.5)

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    detections = model.predict([n6post.Letterbox(img)])
    n6post.draw(img, detections)
    for d in detections:
        x, y, w, h = d.rect
        print("%s %.2f, middle at %d, %d" % (d.label, d.score, x + w // 2, y + h // 2))
    print("%.1f fps" % clock.fps())
