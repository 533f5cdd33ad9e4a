"""Cameras with a ROMFS partition: its size, where models have to lie in it, and what a model file has to be.

Partition 0 as firmware 4.8.1 and 5.0.0 have it (openmv/openmv: boards/*/romfs_config.json, romfs.json in 4.8.1; that the
models' alignment is 32 bytes for ST's NPU and 16 elsewhere says its docs/boards.md).
"""

from dataclasses import dataclass

KIB, MIB = 1 << 10, 1 << 20

ST, ETHOS = "Neural-ART", "Ethos-U55"


@dataclass(frozen=True)
class Board:
    """A camera: bytes of its ROMFS partition, bytes that models in there are aligned to, its NPU if it has one.

    deploys     whether `mpremote romfs deploy` can write the partition: the board's MicroPython has it among those that
                vfs.rom_ioctl() writes (ports/*/boards/*/mpconfigboard.h). The others' is OpenMV IDE's.
    """

    name: str
    partition: int
    alignment: int = 16
    npu: str | None = None
    deploys: bool = False


BOARDS = {
    "N6": Board("OpenMV N6", 24 * MIB, 32, ST, True),
    "AE3": Board("OpenMV AE3", 24 * MIB, 16, ETHOS, True),
    "RT1062": Board("OpenMV Cam RT1062", 8 * MIB),
    "H7PLUS": Board("OpenMV Cam H7 Plus", 8 * MIB),
    "PURETHERMAL": Board("OpenMV Pure Thermal", 8 * MIB),
    "H7": Board("OpenMV Cam H7", 128 * KIB),
    "M7": Board("OpenMV Cam M7", 256 * KIB),
    "GIGA": Board("Arduino Giga", 4 * MIB),
    "PORTENTA": Board("Arduino Portenta H7", 4 * MIB),
    "NICLA": Board("Arduino Nicla Vision", 4 * MIB),
}
