"""A zip of the compiled library that someone without Python copies onto a camera."""

import zipfile
from pathlib import Path

from .paths import EXAMPLES, LICENSE

README = """\
n6post {version} for OpenMV cameras with firmware 4.8.1 or newer

1. Connect the camera by USB. A drive appears: its flash, or the SD card that is in it.
2. Copy the folder "lib" from here onto that drive, so that it holds lib/n6post. Eject the drive and press the
   camera's reset button.
3. Open a file of "examples" in OpenMV IDE, write the path of your model into it, and run it. With an empty
   camera begin with selftest.py: it needs no model, and its last line is "... passed, 0 failed".

A model belongs into the camera's ROMFS: OpenMV IDE, Tools, ROM File System. The licence is in LICENSE.txt.
"""


def write_zip(archive: Path, compiled: dict[str, bytes], version: str) -> list[tuple[str, int]]:
    """Write the zip from the compiled files, n6post/NAME.mpy and its bytes; (name, bytes) of what is in it.

    The same files make the same bytes, on any machine and day: no times, one order, and nothing compressed, for not all
    zlibs compress alike.
    """
    entries = {"README.txt": README.format(version=version).encode(), "LICENSE.txt": LICENSE.read_bytes()}
    entries |= {f"lib/{name}": data for name, data in compiled.items()}
    for file in EXAMPLES.glob("*.py"):
        entries[f"examples/{file.name}"] = file.read_bytes()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as out:
        for name, data in sorted(entries.items()):
            entry = zipfile.ZipInfo(f"n6post-{version}/{name}", (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o100644 << 16  # a plain file, wherever it is made
            out.writestr(entry, data)
    return sorted((name, len(data)) for name, data in entries.items())
