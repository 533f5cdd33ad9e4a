"""One person's joints: MoveNet on an OpenMV camera.

OpenMV's own model (17 joints) is in the ROMFS already; ST's st_movenet_lightning_heatmaps (13 joints) works
as well. MoveNet wants the person to fill its square input: `Crop` gives it the middle of the frame,
undistorted, on every firmware.
"""

import time

import csi
import ml
import n6post

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = ml.Model("/rom/movenet_singlepose_192.tflite", postprocess=n6post.MoveNet(threshold=0.3))

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    people = model.predict([n6post.Crop(img)])  # one or none
    n6post.draw(img, people)
    for person in people:
        x, y, score = person.keypoints[0]
        print("score %.2f, head at %d, %d (%.2f)" % (person.score, x, y, score))
    print("%.1f fps" % clock.fps())
