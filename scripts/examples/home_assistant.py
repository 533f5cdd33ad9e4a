"""People in Home Assistant, by MQTT: their number, and whether somebody is there. The camera has to be in the network.

Both entities appear by themselves (MQTT discovery), and are unavailable while the camera is gone (its last will).
"""

import json
import time

import csi
import n6post
from mqtt import MQTTClient

BROKER, USER, PASSWORD = "192.168.1.10", "name of a user", "its password"
MODEL = "/rom/yolov8n_192.tflite"  # or your own model, with its labels in the .txt file beside it
STATE, STATUS = "n6post/camera_1/people", "n6post/camera_1/status"

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)
model = n6post.load(MODEL, threshold=0.4)
client = MQTTClient("camera_1", BROKER, 1883, user=USER, password=PASSWORD, keepalive=60)
client.set_last_will(STATUS, "offline", retain=True)
sent = None  # what the broker has; None: it has to be connected and told the entities first

while True:
    now = len(model.predict([n6post.Letterbox(cam.snapshot())])), time.time() // 30
    try:
        if sent is None:
            client.connect()
            for kind, template in (("sensor", "{{ value }}"), ("binary_sensor", "{{ 'ON' if value | int else 'OFF' }}")):
                config = {"unique_id": "camera_1_" + kind, "device": {"identifiers": ["camera_1"], "name": "Camera 1"}}
                config.update(name="People", state_topic=STATE, value_template=template, availability_topic=STATUS)
                client.publish("homeassistant/%s/camera_1/config" % kind, json.dumps(config), retain=True)
            client.publish(STATUS, "online", retain=True)
        if now != sent:  # another number, or half a minute later: the broker gives a silent client up after `keepalive`
            client.publish(STATE, str(now[0]), retain=True)
        sent = now
    except OSError:
        sent = None
