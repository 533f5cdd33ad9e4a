"""The two built-in color palettes: 256 RGB565 colors each.

They were recorded from the firmware by drawing a gray ramp with `color_palette=` (golden/draw, group tables), and
are stored as little-endian uint16, deflated, in base64. The last entry of IRONBOW is an outlier in the firmware too.
"""

import base64
import zlib

import numpy as np
import numpy.typing as npt

PALETTE_RAINBOW = 0
PALETTE_IRONBOW = 1


def _unpack(text: str) -> npt.NDArray[np.uint16]:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype="<u2")


_RAINBOW = (
    "eNodwitYQyEABlASNxqNoxmNxkszGo2jGY3G0YxG42hGo3E0o9E4fM73fO9euIC//3dOK1s5lhM5lTOYyypHTQvjZtJMmxnMmwoF"
    "Mg2QKFIPHa3gl37gm77gkz7oHZb0Bq/0As/0RI/wQAu4pzu4pRu4pisK/9ZoHUa0AZu0BS1t0w7s0hj2aB8OaAKHdETHMKUTOKUz"
    "mNE5XcAlzWFBS1hRDdVXVy2YqquqAkLxxRULpuiiioCQfXbZgsk6qywgDH5wYAcz6EGBGELyyYFNJumkQKQQfXRgo4k6KhAx9L53"
    "YHvTa1C96EPnwXW2M50G1f0BV+o0MQ=="
)

_IRONBOW = (
    "eNoVwVFIE3EcB/A5XV01218IOqiHm2Vs5MMOfFDooa0EOxKaEJgU5FbiEtEhQiGBrRESUiEjKixqZongEiEbwWQ5mY3QGMHiFCbe"
    "xAln7ME79iDdr2+fDxHRBuXLC/im/Lp0H2+UrhfP4cniiY39/H5+Pb+W+4qvci9X7+G11fZ0I/Lp4wvlRDnxO5H7PI/PcXBmcOYq"
    "Nkw2TB7DvfG98V84F5mLjGFwNDjqRVfYFWZYGioN/cTYQGzgCfb29Pa0Yr2/3m9FtUPt+IHTbdNtjzEgBaRL6JQcHg533MWmZfzY"
    "9EF8hF3ibWcz1jlP26twSyjwKZzgoyyEPtbJudHOCab/KkxmU6WpirPgAe4g49ghdpg/wlv5ar5aOCrYBJvD5sJGPG9rYS3sCraz"
    "m9jNumv6a+7isDgsjojP8AW+xSlx1jvrjXvj/fGnyU/JWHIl+ee7NWPNnM1I2TvZQHZEnpKX5bS8LVvW6pRm5aJySwkr75WUUkCz"
    "Wqt61E71gfoOv6mbasWufdet+bSQFtUWNUUz62a9VvfoPj2kR/VFXcFK45RxwfAbD40JI2UsGVuGhc6QgyS6TK3UR0EaowjN0xeS"
    "aZ3+UoH+AYyCArY="
)

TABLES = {PALETTE_RAINBOW: _unpack(_RAINBOW), PALETTE_IRONBOW: _unpack(_IRONBOW)}
