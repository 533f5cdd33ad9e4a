"""People with keypoints: YOLOv8-pose on an OpenMV camera, and who of them raises a hand.

For instance ST's yolov8n_256_quant_pc_uf_pose. Its 17 keypoints are COCO's: 5 and 6 are the shoulders, 9 and
10 the wrists.
"""

import time

import csi
import ml
import n6post

SEEN = 0.5
SHOULDERS_AND_WRISTS = ((5, 9), (6, 10))

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

process = n6post.YoloV8Pose(threshold=0.5, keypoint_threshold=SEEN)
model = ml.Model("/rom/yolov8n_pose_256.tflite", postprocess=process)

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    people = model.predict([img])
    n6post.draw(img, people)
    for person in people:
        points = person.keypoints  # a row a joint: x, y, score
        for shoulder, wrist in SHOULDERS_AND_WRISTS:
            seen = min(points[shoulder][2], points[wrist][2]) >= SEEN
            if seen and points[wrist][1] < points[shoulder][1]:
                print("a hand up at %d, %d" % (points[wrist][0], points[wrist][1]))
    print("%d people, %.1f fps" % (len(people), clock.fps()))
