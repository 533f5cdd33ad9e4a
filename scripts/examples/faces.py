"""Faces and where they look, with BlazeFace.

The model is in the ROMFS of the camera. It finds faces that are about a seventh as wide as its square input or wider. `Crop`
passes the middle of the frame to it. MediaPipe's own files take pixels as -1..1: `n6post.Crop(img, scale=(-1, 1))`.
"""

import time

import csi
import n6post

MODEL = "/rom/blazeface_front_128.tflite"  # or another BlazeFace

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.4)

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    faces = model.predict([n6post.Crop(img)])
    n6post.draw(img, faces)
    for face in faces:
        # From the floats of `keypoints`, in the order of n6post.keypoint_names(6): keypoint(name) returns whole pixels. The
        # right ear is the person's: on the left of the picture.
        _, _, nose, _, right, left = [x for x, _, _ in face.keypoints.tolist()]
        if left > right:
            turn = (nose - right) / (left - right)
            side = "left" if turn > 0.65 else "right" if turn < 0.35 else "straight ahead"
            print("face %.2f at %s looks %s" % (face.score, face.rect, side))
    print("faces: %d, %.1f fps" % (len(faces), clock.fps()))
