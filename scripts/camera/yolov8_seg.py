"""Objects with masks: YOLOv8-seg (or YOLO11-seg) on an OpenMV camera.

Put a quantised model into the ROMFS (OpenMV IDE: Tools, Edit ROMFS), for instance ST's
yolov8n_320_quant_pc_ii_seg or your own (docs/your-model.md tells how one is exported).
"""

import time

import csi
import ml
import n6post

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = ml.Model("/rom/yolov8n_320_seg.tflite", postprocess=n6post.YoloV8Seg(threshold=0.4))
for finding in n6post.diagnose(model):  # what is wrong with the model; nothing for a healthy one
    print(finding)

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    found = model.predict([img])
    n6post.draw(img, found)
    for d in found:
        print("%s %.2f at %s: %d pixels around %s" % (d.label, d.score, d.rect, d.mask.area, d.mask.centroid))
    print("%.1f fps" % clock.fps())
