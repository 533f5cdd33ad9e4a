"""Find objects that are small in the frame: the network looks at six overlapping tiles of each frame, and at all of it.

That takes seven times as long. With fewer tiles per frame they have their turns: objects that stand still are found as well,
those that move are up to some frames behind.
"""

import time

import csi
import n6post

MODEL = "/rom/yolov8n_192.tflite"  # or your own model, with its labels in the .txt file beside it

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

tiles = n6post.Tiles(n6post.load(MODEL, threshold=0.4), columns=3, rows=2, tiles_per_frame=7)

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    found = tiles.predict(img)
    n6post.draw(img, found)
    print("%d found, %.1f fps" % (len(found), clock.fps()))
