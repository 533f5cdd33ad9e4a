"""Where the camera's files, the stand-ins and the recordings lie: in a checkout, or inside of this package in a wheel."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
_ROOT = HERE.parents[1]
CHECKOUT = _ROOT if (_ROOT / "lib" / "n6post" / "__init__.py").is_file() and HERE.parent.name == "scripts" else None

# pyproject.toml puts the same folders of the checkout under the same names into the wheel.
_PLACE = CHECKOUT or HERE / "carried"
LIB = _PLACE / "lib"  # what goes onto a camera
LICENSE = _PLACE / "LICENSE"
STUBS = _PLACE / "stubs"  # stand-ins for the firmware's modules
EXAMPLES = _PLACE / "scripts" / "examples"  # what users copy onto a camera
DEVICE = _PLACE / "scripts" / "device"  # self-test, benchmark, soak and out-of-memory tests: run on a camera
RECORDED = HERE / "data" / "recorded"  # outputs of real networks
STREET = RECORDED.parent / "street.xz"  # what a network finds in a video, frame by frame


def use_stand_ins() -> None:
    """Make `import n6post, ml, image, ...` work in this process: the camera's library on the stand-ins, before all else."""
    for folder in (str(STUBS), str(LIB)):
        if folder not in sys.path:
            sys.path.insert(0, folder)
