"""Faces and how wide their mouths are, with YuNet.

YuNet finds faces from 15 pixels of its input on. OpenCV's network (face_detection_yunet) takes pixels as 0..255. It was
trained with blue first, and finds slightly fewer faces with the camera's red first.
"""

import time

import csi
import n6post

MODEL = "/rom/yunet_n_320_320.tflite"  # or another YuNet, or a SCRFD with scale=(-1, 1)

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.7)
tracker = n6post.Tracker()

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    faces = tracker.update(model.predict([n6post.Letterbox(img, scale=(0, 255))]))
    n6post.draw(img, faces)
    for face in faces:
        # From the floats of `keypoints`, in the order of n6post.keypoint_names(5): keypoint(name) returns whole pixels.
        right_eye, left_eye, _, right_corner, left_corner = [x for x, _, _ in face.keypoints.tolist()]
        mouth, eyes = left_corner - right_corner, left_eye - right_eye
        if eyes > 0:
            # Of one and the same face, a smile is wider.
            print("face %d: score %.2f, mouth %.2f of the eyes' distance" % (face.track_id, face.score, mouth / eyes))
    print("faces: %d, %.1f fps" % (len(faces), clock.fps()))
