# What type checkers and editors see: all kinds of kernels have the functions of the portable ones.
from types import ModuleType

from _viper import cells as cells
from _viper import corners as corners
from _viper import crc as crc
from _viper import json as json
from _viper import laplacian as laplacian
from _viper import occupancy as occupancy
from _viper import tracks as tracks

from .portable import (
    anchors as anchors,
)
from .portable import (
    boxes as boxes,
)
from .portable import (
    crops as crops,
)
from .portable import (
    drawing as drawing,
)
from .portable import (
    heads as heads,
)
from .portable import (
    hide as hide,
)
from .portable import (
    maps as maps,
)
from .portable import (
    measures as measures,
)
from .portable import (
    neighbors as neighbors,
)
from .portable import (
    oriented as oriented,
)
from .portable import (
    places as places,
)
from .portable import (
    poses as poses,
)

active: str

def load(group: str) -> ModuleType: ...
def are_fast() -> bool: ...
