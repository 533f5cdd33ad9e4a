"""Pack the compiled library: as a zip with the examples, for users without Python on their PC, and as a package for mip."""

import json
import zipfile
from pathlib import Path

from ..files import replacing, write
from ..paths import EXAMPLES, LICENSE

README = """\
n6post {version} for OpenMV cameras with firmware 4.8.1 or newer

1. Connect the camera by USB. A drive appears: its flash, or its SD card.
2. Copy the folder "lib" to this drive, so that the drive contains lib/n6post. Eject the drive and press the
   camera's reset button.
3. Open a file from "examples" in OpenMV IDE, enter the path of your model, and run it.

Put models into the camera's ROMFS: OpenMV IDE, Tools, ROM File System. The license is in LICENSE.txt.
"""


def write_zip(archive: Path, compiled: dict[str, bytes], version: str) -> list[tuple[str, int]]:
    """Write the zip. Returns (name, size in bytes) of the files in it.

    compiled    the compiled files, by a name such as n6post/NAME.mpy

    The zip is reproducible: it has no times and a fixed order, and is not compressed, because versions of zlib differ.
    """
    entries = {"README.txt": README.format(version=version).encode(), "LICENSE.txt": LICENSE.read_bytes()}
    entries |= {f"lib/{name}": data for name, data in compiled.items()}
    for file in (*EXAMPLES.glob("*.py"), *EXAMPLES.glob("arduino_*/*")):
        entries[f"examples/{file.relative_to(EXAMPLES).as_posix()}"] = file.read_bytes()
    _write(archive, f"n6post-{version}", entries)
    return sorted((name, len(data)) for name, data in entries.items())


MIP_README = """\
# n6post {version}, compiled for OpenMV cameras

`mpremote mip install github:{repository}@mpy` installs this branch. Each release writes it from the sources on main.
"""


def write_mip(folder: Path, archive: Path, compiled: dict[str, bytes], version: str, repository: str) -> None:
    """Write the compiled library with the package.json that mip reads: as a folder, and as a zip; reproducible too.

    The folder is the content of the branch mpy. mip looks for package.json there, and for the addresses in it beside it.
    """
    urls = ",\n".join(f"    {json.dumps([name, name])}" for name in sorted(compiled))
    listed = f'{{\n  "urls": [\n{urls}\n  ],\n  "version": {json.dumps(version)}\n}}\n'
    readme = MIP_README.format(version=version, repository=repository)
    entries = {"package.json": listed.encode(), "README.md": readme.encode(), "LICENSE.txt": LICENSE.read_bytes()} | compiled
    write({folder / name: data for name, data in entries.items()})
    _write(archive, f"n6post-{version}-mip", entries)


def _write(archive: Path, folder: str, entries: dict[str, bytes]) -> None:
    with replacing(archive) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_STORED) as out:
        for name, data in sorted(entries.items()):
            entry = zipfile.ZipInfo(f"{folder}/{name}", (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o100644 << 16  # a regular file, on every system
            out.writestr(entry, data)
