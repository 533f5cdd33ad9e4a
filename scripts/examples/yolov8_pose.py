"""Pose estimation with YOLOv8-pose: the keypoints of every person, and the hands that are raised.

Use ST's yolov8n_256_quant_pc_uf_pose, for example. It has the 17 keypoints of COCO.
"""

import time

import csi
import n6post

MODEL = "/rom/yolov8n_pose_256.tflite"  # or another model that finds keypoints of people

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.5, keypoint_threshold=0.5)

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    people = model.predict([n6post.Letterbox(img)])
    n6post.draw(img, people)
    for person in people:
        for side in ("left", "right"):
            shoulder = person.keypoint(side + " shoulder")
            x, y, score = person.keypoint(side + " wrist")
            visible = min(score, shoulder[2]) >= person.keypoint_threshold
            if visible and y < shoulder[1]:
                print("%s hand raised at %d, %d" % (side, x, y))
    print("people: %d, %.1f fps" % (len(people), clock.fps()))
