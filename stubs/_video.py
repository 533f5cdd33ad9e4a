"""The frames of a video file as the camera's pictures, read with PyAV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

SUFFIXES = (".avi", ".m4v", ".mjpeg", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".webm")

Frame = npt.NDArray[np.uint8]


def _av() -> Any:
    """The module av; imported late, since most of the stand-ins work without it."""
    try:
        import av
    except ImportError as error:
        raise ImportError("video files need PyAV on a PC: pip install av") from error
    return av


class Video(Sequence[Frame]):
    """The frames of a video file, (h, w, 3) uint8. Quick in their order; going back starts from the beginning."""

    def __init__(self, path: str | Path) -> None:
        self._path = str(path)
        self._next = 0
        self._last: Frame = np.zeros((0, 0, 3), dtype=np.uint8)
        self._frames: Iterator[Frame] = iter(())
        with self._opened() as container:
            # The number of frames is often missing in the file, so packets are counted.
            self.rate: Fraction = container.streams.video[0].average_rate or Fraction(10)  # frames a second
            self._length: int = sum(packet.size > 0 for packet in container.demux(container.streams.video[0]))
        if not self._length:
            raise ValueError(f"{self._path}: a video without frames")

    def _opened(self) -> Any:
        av = _av()
        try:
            container = av.open(self._path)
        except av.error.FFmpegError as error:
            if isinstance(error, FileNotFoundError):
                raise
            raise ValueError(f"{self._path}: not a video that can be read") from error
        if not container.streams.video:
            raise ValueError(f"{self._path}: there are no pictures in it")
        return container

    def __len__(self) -> int:
        return self._length

    def _decoded(self) -> Iterator[Frame]:
        with self._opened() as container:
            container.streams.video[0].thread_type = "AUTO"
            for frame in container.decode(video=0):
                # Phones store videos sideways, with a rotation in the file: degrees counterclockwise.
                turns = round(getattr(frame, "rotation", 0) / 90) % 4
                yield np.ascontiguousarray(np.rot90(frame.to_ndarray(format="rgb24"), turns))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._length))]
        if not -self._length <= index < self._length:
            raise IndexError("frame index out of range")
        index %= self._length
        if index == self._next - 1:
            return self._last
        if index < self._next or self._next == 0:
            self._frames, self._next = self._decoded(), 0
        while self._next <= index:
            try:
                self._last = next(self._frames)
            except StopIteration:
                if self._next == 0:
                    raise ValueError(f"{self._path}: none of its frames can be read") from None
                break  # fewer frames than packets: repeat the last one
            self._next += 1
        return self._last


class Chain(Sequence[Any]):
    """Several sequences of pictures, one after the other."""

    def __init__(self, parts: Sequence[Sequence[Any]]) -> None:
        self._parts = parts

    def __len__(self) -> int:
        return sum(len(part) for part in self._parts)

    def __getitem__(self, index: Any) -> Any:
        for part in self._parts:
            if index < len(part):
                return part[index]
            index -= len(part)
        raise IndexError("picture index out of range")
