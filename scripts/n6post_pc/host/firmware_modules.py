"""The modules of OpenMV's firmware: those that run on this PC, those without a stand-in, and CPython's that it lacks.

From the manifests of the boards and the C modules of firmware 5.0.0 and 4.8.1. Not every camera has every module: the
manifest of a board says which.
"""

from __future__ import annotations

import importlib.abc
from typing import Any

from .. import paths
from ..cli import spelled

# MicroPython's own, and those of micropython-lib that OpenMV freezes: CPython's modules of the same names take their place.
SHARED = set(
    "array asyncio binascii builtins cmath collections errno gc hashlib heapq io json logging math os platform random re"
    " select socket ssl struct sys time types _thread weakref".split()
)

# Modules that are found only while `n6post host` runs a script, since PyPI has packages of these names.
FROZEN = {"mqtt", "requests"}

# name: what it is, and what to do on a PC; "": write one's own.
MISSING: dict[str, tuple[str, str]] = {
    "aioble": ("Bluetooth Low Energy with asyncio", ""),
    "alif": ("functions of the AE3's chip", ""),
    "apds9960": ("a driver for a gesture and light sensor", ""),
    "audio": ("the microphone", ""),
    "bluetooth": ("Bluetooth Low Energy", ""),
    "bmi270": ("a driver for a motion sensor", ""),
    "bmm150": ("a driver for a magnetometer", ""),
    "bno055": ("a driver for an orientation sensor", ""),
    "btree": ("a database in a file", "use a file with a line of JSON for each record"),
    "cbor2": ("CBOR, a binary JSON", "install its PyPI package into the environment of this command: pip install cbor2"),
    "cpufreq": ("the processor's clock rate", ""),
    "crc": ("checksums in hardware", "use binascii.crc32, which is here and on the camera"),
    "cryptolib": ("AES encryption", ""),
    "deflate": ("compression of streams", ""),
    "dht": ("a driver for temperature and humidity sensors", ""),
    "ds18x20": ("a driver for temperature sensors", ""),
    "espflash": ("updates of the Nano RP2040's WiFi module", ""),
    "fir": ("far infrared sensors: thermal pictures", ""),
    "framebuf": ("drawing for small displays", "use image.Image to draw and display to show it"),
    "ft5x06": ("a driver for touch screens", ""),
    "gif": ("recording of GIF files", "run this command with --save-frames, which saves every frame as PNG"),
    "gt911": ("a driver for touch screens", ""),
    "hs3003": ("a driver for a humidity sensor", ""),
    "hts221": ("a driver for a humidity sensor", ""),
    "imu": ("the camera's motion sensor", ""),
    "lora": ("a LoRa radio", ""),
    "lps22h": ("a driver for a pressure sensor", ""),
    "lsm6dsox": ("a driver for a motion sensor", ""),
    "lsm9ds1": ("a driver for a motion sensor", ""),
    "lwip": ("the network stack below socket", "use socket, which is here and on the camera"),
    "marshal": ("functions as bytes", ""),
    "microdot": ("a web server", "install its PyPI package into the environment of this command: pip install microdot"),
    "mimxrt": ("functions of the RT1062's chip", ""),
    "mjpeg": ("recording of AVI files", "run this command with --save-frames, which saves every frame as PNG"),
    "modbus": ("Modbus over a UART", ""),
    "mutex": ("a lock for interrupts", ""),
    "neopixel": ("a driver for colored LEDs", ""),
    "ntptime": ("time from the network", "put the import into try, with except ImportError: a PC's time is right already"),
    "onewire": ("the 1-Wire bus", ""),
    "openamp": ("messages between two cores", ""),
    "pca9674a": ("a driver for more pins", ""),
    "pid": ("a PID controller", "copy scripts/libraries/pid.py of OpenMV's repository beside your script"),
    "romfs": ("writing to the camera's ROM", f"use {spelled('build')}, which makes its content"),
    "rp2": ("functions of the RP2040's chip", ""),
    "rpc": ("remote calls over a UART, USB or a network", ""),
    "rtsp": ("an RTSP server", "use n6post.MjpegServer, which is here and on the camera"),
    "senml": ("sensor values as JSON or CBOR", "copy it from micropython-lib beside your script"),
    "spiflash": ("flash chips on SPI", ""),
    "ssd1306": ("a driver for an OLED display", "use display, which is here and on the camera"),
    "ssd1351": ("a driver for an OLED display", "use display, which is here and on the camera"),
    "st7701": ("a driver for a display", "use display, which is here and on the camera"),
    "stm": ("registers of the STM32's chip", ""),
    "tb6612": ("a driver for stepper motors", ""),
    "tf": ("the older name of ml", "write import ml"),
    "tfp410": ("a driver for HDMI displays", "use display, which is here and on the camera"),
    "tls": ("encryption below ssl", "use ssl, which is here and on the camera"),
    "tof": ("time-of-flight sensors: distances as pictures", ""),
    "tv": ("the TV shield of older cameras", ""),
    "umalloc": ("the allocator of frame buffers", ""),
    "vfs": ("file systems", "run this command with --sdcard or --flash, which mount folders of the PC"),
    "vl53l1x": ("a driver for a distance sensor", ""),
    "webrepl": ("a prompt over the network", ""),
    "websocket": ("frames of the WebSocket protocol", ""),
}

# CPython's modules that scripts miss most, and what to write in their place.
INSTEAD = {
    "__future__": "delete the line: MicroPython takes annotations as they are, and divides and prints as Python 3 does",
    "abc": "a plain class whose methods raise NotImplementedError",
    "argparse": "constants at the top of the script",
    "base64": "binascii.b2a_base64 and binascii.a2b_base64",
    "bisect": "a loop, or heapq",
    "configparser": "json",
    "copy": "list(...), dict(...) or a method of your own",
    "csv": "','.join(...) and line.split(',')",
    "cv2": "the image module",
    "dataclasses": "a class with __init__, or collections.namedtuple",
    "datetime": "time.localtime() and time.strftime",
    "decimal": "integers, in thousandths for example",
    "enum": "constants: RED = 0",
    "fractions": "integers",
    "functools": "a lambda, or a function that calls the other",
    "glob": "os.listdir and str.endswith",
    "inspect": "dir()",
    "itertools": "a loop, or a generator of your own",
    "multiprocessing": "asyncio",
    "numpy": "from ulab import numpy as np",
    "operator": "a lambda",
    "pathlib": 'strings: folder + "/" + name, and os.stat',
    "pickle": "json",
    "PIL": "the image module",
    "queue": "collections.deque((), 100)",
    "scipy": "from ulab import scipy",
    "shutil": "open, read and write",
    "statistics": "sum(values) / len(values), or ulab's np.mean, np.std and np.median",
    "string": "the characters themselves",
    "subprocess": "nothing: there are no other programs",
    "tempfile": "a file on /sdcard or /flash",
    "textwrap": "str.split and str.join",
    "threading": "asyncio, or _thread",
    "traceback": "sys.print_exception(error)",
    "typing": "annotations without it (MicroPython ignores them), or the import in try, with except ImportError",
    "umqtt": "mqtt: from mqtt import MQTTClient",
    "unittest": "tests on the PC",
    "urequests": "requests",
    "urllib": "requests",
    "uuid": "machine.unique_id()",
    "warnings": "print",
    "zlib": "deflate",
}


def stand_ins() -> set[str]:
    """The modules that stubs/ has."""
    return {path.stem for path in paths.STUBS.iterdir() if not path.stem.startswith("_")} - {"README", "socket"}


def known() -> set[str]:
    """Every module that a camera may have, without those of the user."""
    built_in = stand_ins() | SHARED | MISSING.keys()
    return built_in | {"u" + name for name in built_in} | FROZEN | {"n6post"}


def missing_text(name: str) -> str:
    """What to say of a module that the firmware has and this PC has not."""
    what, advice = MISSING[name]
    advice = advice or f"to run the script here, put a file {name}.py beside it, with the names that it uses"
    return f"the module {name} has no stand-in on this PC ({what}): {advice}"


class NoStandIn(importlib.abc.MetaPathFinder):
    """The last finder of sys.meta_path. Its error names a module that the firmware has and the stand-ins lack."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> None:
        if name in MISSING:
            raise ModuleNotFoundError(missing_text(name), name=name)
