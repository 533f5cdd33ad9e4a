"""Where are people most of the time? A heat map of the places where they stood.

Set HALF_LIFE for a map that follows the day: what happened so many seconds ago counts half.
"""

import csi
import n6post

MODEL = "/rom/yolov8n_192.tflite"  # or your own model, with its labels in the .txt file beside it
HALF_LIFE = None  # such as 3600; None: everything counts for ever

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

model = n6post.load(MODEL, threshold=0.4)
heat_map = n6post.HeatMap(32, 24, half_life=HALF_LIFE)  # cells of 20 x 20 pixels

while True:
    img = cam.snapshot()
    people = heat_map.update(model.predict([n6post.Letterbox(img)]))
    heat_map.draw(img)
    n6post.draw(img, people)
    place = heat_map.max_cell
    if place:  # None: nobody has been here
        print("%d people, most of the time at %s" % (len(people), place))
