"""Objects, with an SSD network.

ST's SSD MobileNet, TensorFlow's SSD MobileNet 300 and the Ultra-Light face detector work as they are. Other networks need
the option `anchors` of `load`: a list of (columns, rows, [(width, height), ...]), an item for each of their maps.
"""

import time

import csi
import n6post

MODEL = "/rom/ssd_mobilenet.tflite"  # or another SSD; its labels in a .txt beside it

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.5)

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    detections = model.predict([n6post.Letterbox(img)])
    n6post.draw(img, detections)
    for d in detections:
        print(d.label, "%.2f" % d.score, d.rect)
    print("%.1f fps" % clock.fps())
