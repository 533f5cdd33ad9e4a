"""What is in the picture? Image classification: OpenMV's own model says whether there is a person.

Any network that gives one score for each class works too, such as a MobileNet that you trained with Edge Impulse, Keras or
Teachable Machine and exported with full integer quantization.
"""

import time

import csi
import n6post

MODEL = "/rom/person_detect.tflite"  # or another classifier, with its labels in the .txt file beside it

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, top_k=3)

clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    result = model.predict([n6post.Crop(img)])
    for one in result:  # best first
        print("%s %.2f" % (one.label, one.score))
    if result.label == "person" and result.score > 0.8:
        print("hello")
    n6post.draw(img, result)
    print("%.1f fps" % clock.fps())
