"""The keypoints of one person, with MoveNet.

OpenMV's own model (17 keypoints) is in the ROMFS of the camera. ST's st_movenet_lightning_heatmaps (13 keypoints) works
too. The person should fill the square input of MoveNet: `Crop` passes the middle of the frame to it. `Letterbox` passes
the whole frame, a quarter smaller. Both keep the aspect ratio.
"""

import time

import csi
import n6post

MODEL = "/rom/movenet_singlepose_192.tflite"  # or another MoveNet

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, keypoint_threshold=0.3)

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    people = model.predict([n6post.Crop(img)])  # one person or none
    n6post.draw(img, people)
    for person in people:
        x, y, score = person.keypoints[0]
        print("score %.2f, head at %d, %d (%.2f)" % (person.score, x, y, score))
    print("%.1f fps" % clock.fps())
