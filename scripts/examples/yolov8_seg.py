"""Instance segmentation with YOLOv8-seg or YOLO11-seg: boxes and masks.

Put a quantized model into the ROMFS of the camera (OpenMV IDE: Tools, Edit ROMFS): ST's yolov8n_320_quant_pc_ii_seg,
for example, or your own. docs/first-hour.md shows how to export one.
"""

import time

import csi
import n6post

MODEL = "/rom/yolov8n_320_seg.tflite"  # or your own model, with its labels in the .txt file beside it

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.4)
for finding in n6post.diagnose(model):  # problems of the model, each with its remedy
    print(finding)

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    detections = model.predict([n6post.Letterbox(img)])
    n6post.draw(img, detections)
    for d in detections:
        print("%s %.2f at %s: %d pixels around %s" % (d.label, d.score, d.rect, d.mask.area, d.mask.centroid))
    print("%.1f fps" % clock.fps())
