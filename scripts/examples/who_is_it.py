"""Give people who leave the picture and return their old number: re-identification with OSNet.

OSNet (of ST's model zoo) makes a vector of each person when they come into the picture; a Gallery compares them.
"""

import time

import csi
import ml
import n6post

MODEL = "/rom/yolov8n_192.tflite"  # or another detector of people
EMBEDDING = "/rom/osnet_a025_256_128_tfs_int8.tflite"

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)
model = n6post.load(MODEL, threshold=0.4)
osnet = ml.Model(EMBEDDING, postprocess=n6post.Embedding())
tracker = n6post.Tracker()
gallery = n6post.Gallery(threshold=0.75)  # gallery.similarities(vector) shows what fits


def embedding_of(d):
    x, y, w, h = d.rect
    if h < 60 or x == 0 or x + w == img.width():
        return None  # too small, or cut off: wait for a better picture
    return osnet.predict([n6post.Stretch(img, roi=d.rect)])


clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    people = gallery.reidentify(tracker.update(model.predict([n6post.Letterbox(img)])), embedding_of)
    n6post.draw(img, people, color_by="track")
    print("here: %s, %.1f fps" % ([d.track_id for d in people], clock.fps()))
