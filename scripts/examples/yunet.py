"""Faces and how wide their mouths are, with YuNet.

YuNet finds faces from 15 pixels of its input on. OpenCV's network (face_detection_yunet) takes pixels as 0..255. It was
trained with blue first, and finds slightly fewer faces with the camera's red first.
"""

import time

import csi
import n6post

MODEL = "/rom/yunet_n_320_320.tflite"  # or another YuNet

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
        mouth = face.keypoint("left mouth corner")[0] - face.keypoint("right mouth corner")[0]
        eyes = face.keypoint("left eye")[0] - face.keypoint("right eye")[0]
        if eyes > 0:
            # Of one and the same face, a smile is wider.
            print("face %d: score %.2f, mouth %.2f of the eyes' distance" % (face.track_id, face.score, mouth / eyes))
    print("faces: %d, %.1f fps" % (len(faces), clock.fps()))
