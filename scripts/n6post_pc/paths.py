"""Paths of the camera's files, the stand-ins and the recordings: in a checkout, or in this package in a wheel."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
_ROOT = HERE.parents[1]
CHECKOUT = _ROOT if (_ROOT / "lib" / "n6post" / "__init__.py").is_file() and HERE.parent.name == "scripts" else None

# pyproject.toml copies these folders of the checkout into the wheel under the same names.
_PLACE = CHECKOUT or HERE / "carried"
LIB = _PLACE / "lib"  # the library
LICENSE = _PLACE / "LICENSE"
STUBS = _PLACE / "stubs"  # stand-ins for the firmware's modules
PAGES = _PLACE / "docs"  # the pages that findings link to
EXAMPLES = _PLACE / "scripts" / "examples"  # scripts that users copy to a camera
DEVICE = _PLACE / "scripts" / "device"  # self-test, benchmark, soak and out-of-memory tests, which run on a camera
RECORDED = HERE / "data" / "recorded"  # outputs of real networks
STREET = RECORDED.parent / "street.xz"  # the detections of a network in each frame of a video
YARD = RECORDED.parent / "yard.xz"  # the same in each frame of a rendered scene; its pictures are in yard.webp
STREET_HEADS = RECORDED.parent / "street_heads.xz"  # those in one frame: as published, optimized and in float
SAMPLE_MODEL = RECORDED.parent / "shapes" / "shapes.tflite"  # a network of this project; its float original is beside it
SAMPLE_PICTURES = SAMPLE_MODEL.parent / "pictures"


def with_page(finding: str) -> str:
    """A finding of `diagnose`, with the path of its page. In a wheel, the pages are in this package."""
    return finding if CHECKOUT else finding.replace("(docs/", f"({PAGES.as_posix()}/")


def use_stand_ins() -> None:
    """Make `import n6post, ml, image, ...` import the library and the stand-ins in this process."""
    for folder in (str(STUBS), str(LIB)):
        if folder not in sys.path:
            sys.path.insert(0, folder)
