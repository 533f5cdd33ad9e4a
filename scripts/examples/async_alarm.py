"""Zone alarm with asyncio: one task takes the frames, and a second one blinks while an object is in the zone.

Tasks take turns at `await` only. A frame takes its time, so the LED may be late by one frame.
"""

import asyncio

import csi
import n6post
from machine import LED

MODEL = "/rom/yolov8n_192.tflite"  # or your own model, with its labels in the .txt file beside it
ZONE = [(200, 160), (460, 160), (600, 470), (60, 470)]  # the corners in frame pixels

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)
model = n6post.load(MODEL, threshold=0.4)
zone = n6post.PolygonZone(ZONE)
occupied = asyncio.Event()


async def blink():
    led = LED("LED_RED")
    while True:
        await occupied.wait()
        print("alarm")
        led.on()
        await asyncio.sleep(0.25)
        led.off()
        await asyncio.sleep(0.25)


async def main():
    asyncio.create_task(blink())
    tracker = n6post.Tracker()
    while True:
        img = cam.snapshot()
        objects = tracker.update(model.predict([n6post.Letterbox(img)]))
        if zone.trigger(objects):
            occupied.set()
        else:
            occupied.clear()
        n6post.draw(img, zone)
        n6post.draw(img, objects, color_by="track")
        await asyncio.sleep(0)


asyncio.run(main())
