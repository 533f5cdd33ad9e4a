"""Two models in turns: YOLOv8 finds up to three people, MoveNet finds the keypoints of each in a crop.

MoveNet by itself finds one person, who has to fill its input. In a Pipeline it gets a crop for each person. With follow=True
MoveNet would follow each person without YOLOv8, which is faster, but takes people who walk past each other for one.
"""

import time

import csi
import n6post

MODEL = "/rom/yolov8n_192.tflite"  # or another detector
POSES = "/rom/movenet_singlepose_192.tflite"  # or another model that looks at one object, such as a classifier

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

people = n6post.Pipeline(n6post.load(MODEL), n6post.load(POSES), max_detections=3, follow=False)

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    found = people.predict(img)
    n6post.draw(img, found)
    # Of a classifier, `found` has the people and `people.results` what the classifier says of each.
    print("people: %d, %.1f fps" % (len(found), clock.fps()))
