"""The cameras with a ROMFS partition: its size, the alignment of models in it, and the NPU.

The sizes are those of partition 0 in firmware 4.8.1 and 5.0.0 (openmv/openmv: boards/*/romfs_config.json, romfs.json in
4.8.1). Models are aligned to 32 bytes for ST's NPU and to 16 for others (openmv/openmv, its docs/boards.md).
"""

from dataclasses import dataclass

KIB, MIB = 1 << 10, 1 << 20

ST, ETHOS = "Neural-ART", "Ethos-U55"


@dataclass(frozen=True)
class Board:
    """A camera.

    partition   size of its ROMFS partition in bytes
    alignment   alignment of models in the partition in bytes
    npu         its NPU, or None
    deploys     whether `mpremote romfs deploy` can write the partition, which needs vfs.rom_ioctl() in the firmware
                (ports/*/boards/*/mpconfigboard.h); on other cameras, only OpenMV IDE can
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
