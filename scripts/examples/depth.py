"""How far away is it? A depth map from one picture, with FastDepth.

The network is in ST's model zoo (fastdepth_224_int8.tflite; it was trained with rooms, up to ten meters). Put it into the
ROMFS of the camera.
"""

import time

import csi
import n6post

MODEL = "/rom/fastdepth_224_int8.tflite"  # or another network that gives a distance for each pixel

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL)
middle = (220, 140, 200, 200)  # x, y, w, h in the frame

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    depth = model.predict([n6post.Crop(img)])
    nearest = depth.minimum(middle)  # depth.median(d) for a detection
    if nearest is not None:  # the network saw something of this box
        print("nearest in the middle: %.2f m" % nearest)
    depth.draw(img, nearest=0.5, farthest=5.0, legend=True)
    img.draw_rectangle(middle, color=(255, 255, 255))
    print("%.1f fps" % clock.fps())
