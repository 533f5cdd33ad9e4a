"""lib/n6post/streams/messages.py, and its receiver in scripts/examples/arduino_robot."""

from __future__ import annotations

import binascii
import math
import os
import random
import re
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import n6post
import pytest
from hypothesis import given
from hypothesis import strategies as st
from n6post.kernels import crc

ROOT = Path(__file__).resolve().parents[2]
RECEIVER = ROOT / "scripts" / "examples" / "arduino_robot"
STRICT = ("-Wall", "-Wextra", "-Wconversion", "-Wcast-align=strict", "-Werror")

Record = tuple[int, ...]  # class_id, score, track_id, x, y, w, h, rotation


def seen(
    rect: Any = (10, 20, 30, 40), score: Any = 0.5, class_id: Any = 0, track_id: int | None = None, corners: Any = None
) -> Any:
    d = n6post.Detection(rect, score, class_id, "thing", None, None).replace(corners=corners)
    d.track_id = track_id
    return d


def record(d: Any) -> Record:
    """The numbers of a record, by its table in docs/results.md."""
    rotation = 65535 if d.rotation is None else round(100 * d.rotation)
    return d.class_id, math.floor(Fraction(d.score) * 256), d.track_id or 0, *d.rect, rotation


def message(detections: list[Any]) -> bytes:
    data = b"n6\x01" + bytes([len(detections), 18])
    for d in detections:
        for number, size in zip(record(d), (2, 2, 4, 2, 2, 2, 2, 2), strict=True):
            data += number.to_bytes(size, "little", signed=number < 0)
    return data + binascii.crc_hqx(data, 0xFFFF).to_bytes(2, "little")


INT16 = st.integers(-(1 << 15), (1 << 15) - 1)
DETECTIONS = st.lists(
    st.builds(
        seen, st.tuples(INT16, INT16, INT16, INT16), st.floats(0, 255, width=32) | st.floats(0, 1, width=32),
        st.integers(0, 65535), st.none() | st.integers(-(1 << 31), (1 << 31) - 1),
        st.none() | st.tuples(*[st.tuples(st.integers(-900, 900), st.integers(-900, 900))] * 4),
    ),
    max_size=32,
)  # fmt: skip


# --- what a camera sends ---


@given(DETECTIONS)
def test_a_message_has_a_header_a_record_per_detection_and_a_crc(detections: list[Any]) -> None:
    assert n6post.to_bytes(detections) == message(detections)


def test_the_crc_is_that_of_ccitt_false() -> None:
    assert crc.crc16(b"123456789", 9) == 0x29B1
    assert [crc.crc16(bytes(range(256)), size) for size in range(257)] == [
        binascii.crc_hqx(bytes(range(size)), 0xFFFF) for size in range(257)
    ]


def test_a_message_has_at_most_255_detections() -> None:
    assert n6post.to_bytes([seen()] * 255) == message([seen()] * 255)
    with pytest.raises(ValueError, match="a list of at most 255 Detection, got"):
        n6post.to_bytes([seen()] * 256)


REFUSED = [
    {"rect": (0, 0, 32768, 1)}, {"rect": (0, 0, 1, 32768)}, {"rect": (-32769, 0, 1, 1)}, {"rect": (0, 1 << 40, 1, 1)},
    {"rect": (0.5, 0, 1, 1)}, {"rect": (0, 0, 1)}, {"class_id": 65536}, {"class_id": -1}, {"class_id": None},
    {"score": 256.0}, {"score": -1.0}, {"score": math.nan}, {"score": math.inf}, {"score": "high"},
]  # fmt: skip


@pytest.mark.parametrize("fields", REFUSED, ids=str)
def test_numbers_that_do_not_fit_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"a Detection whose numbers have 16 bits, got Detection\(rect="):
        n6post.to_bytes([seen(), seen(**fields)])


@pytest.mark.parametrize("wrong", [None, 5, "text", {}, seen(), [None], [(1, 2, 3, 4)], ["text"], [[]]])
def test_anything_but_a_list_of_detections_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"detections: expected a (list of at most 255 )?Detection"):
        n6post.to_bytes(wrong)


# --- what the parser in C receives ---

MAIN = """
#include <stdio.h>
#include "n6post_parser.h"
int main(void) {
  static n6post_parser parser;
  for (int at = 1, byte; (byte = getchar()) != EOF; at++) {
    if (!n6post_parse(&parser, (uint8_t)byte)) continue;
    printf("%d %d", at, parser.count);
    for (uint8_t i = 0; i < parser.count; i++) {
      n6post_detection d = n6post_get(&parser, i);
      printf(" %d %d %ld %d %d %d %d %d", d.class_id, d.score, (long)d.track_id, d.x, d.y, d.w, d.h, d.rotation);
    }
    putchar('\\n');
  }
  printf("%d\\n", parser.dropped);
  return 0;
}
"""
END = bytes(7 + 18 * 32)  # what looked like the beginning of a message has then proven to be none


def build(folder: Path, compiler: str, *options: object) -> None:
    if os.name == "nt":
        pytest.skip("needs GCC's sanitizers, and a stdin that passes every byte")
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}")
    done = subprocess.run([compiler, *map(str, options)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


class Receiver:
    def __init__(self, folder: Path) -> None:
        (folder / "main.c").write_text(MAIN, encoding="utf-8")
        options = ("-std=c99", "-fsanitize=undefined", "-fno-sanitize-recover=all", "-I", RECEIVER)
        build(folder, "gcc", *options, "main.c", RECEIVER / "n6post_parser.c", "-o", "receiver")
        self.program = folder / "receiver"

    def __call__(self, data: bytes) -> tuple[list[tuple[int, list[Record]]], int]:
        """([(number of bytes after which it came, its records) of each message], how many bytes belonged to none)."""
        done = subprocess.run([self.program], input=data, capture_output=True, check=True, timeout=60)
        *lines, dropped = done.stdout.decode().splitlines()
        found = []
        for line in lines:
            at, count, *numbers = map(int, line.split())
            assert len(numbers) == 8 * count
            found.append((at, [tuple(numbers[i : i + 8]) for i in range(0, len(numbers), 8)]))
        return found, int(dropped)


@pytest.fixture(scope="module")
def receiver(tmp_path_factory: pytest.TempPathFactory) -> Receiver:
    return Receiver(tmp_path_factory.mktemp("receiver"))


@given(first=DETECTIONS, second=DETECTIONS)
def test_the_parser_in_c_receives_what_was_sent(receiver: Receiver, first: list[Any], second: list[Any]) -> None:
    one, other = bytes(n6post.to_bytes(first)), bytes(n6post.to_bytes(second))
    expected = [(len(one), [record(d) for d in first]), (len(one + other), [record(d) for d in second])]
    assert receiver(one + other) == (expected, 0)


BEGINNINGS = st.sampled_from([b"n", b"n6", b"n6\1", b"n6\1\3\x12", b"6\1", b"\0"])
NOISE = st.binary(max_size=40) | st.lists(BEGINNINGS).map(b"".join)
FEW = st.lists(st.builds(seen, st.tuples(*[st.integers(0, 999)] * 4), st.floats(0, 1), st.integers(0, 79)), max_size=3)


@given(st.lists(st.tuples(NOISE | st.tuples(FEW, st.integers(1, 60)), FEW), max_size=8))
def test_no_message_is_lost_or_made_up_among_noise_and_parts(receiver: Receiver, stream: list[Any]) -> None:
    """Before each message there is noise, or a message without its end."""
    data, extra = b"", 0
    for noise, detections in stream:
        if isinstance(noise, tuple):
            noise = bytes(n6post.to_bytes(noise[0]))[: -noise[1]]
        data += noise + bytes(n6post.to_bytes(detections))
        extra += len(noise)
    found, dropped = receiver(data + END)
    assert [records for _, records in found] == [[record(d) for d in detections] for _, detections in stream]
    # Zeros stay in the buffer for as long as they might be part of a message.
    assert extra <= dropped <= extra + len(END)


def test_messages_with_flipped_bits_are_not_accepted(receiver: Receiver) -> None:
    """All single bits, and 2,000 times two, three, or as many as there are in 16 bits in a row."""
    dice = random.Random(1)
    detections = [seen((i, 2 * i, 50, 60), 0.7, i, 1 + i) for i in range(4)]
    data = bytes(n6post.to_bytes(detections))
    bits = len(data) * 8
    flips = [{bit} for bit in range(bits)]
    for _ in range(2000):
        first = dice.randrange(bits - 16)
        burst = {first} | {bit for bit in range(first, first + 16) if dice.random() < 0.5}
        flips.append(dice.choice([set(dice.sample(range(bits), 2)), set(dice.sample(range(bits), 3)), burst]))
    wrong = [int.from_bytes(data, "little") ^ sum(1 << bit for bit in flip) for flip in flips]
    stream = [number.to_bytes(len(data), "little") + data + END for number in wrong]
    found, _ = receiver(b"".join(stream))
    assert [records for _, records in found] == [[record(d) for d in detections]] * len(flips)


def test_a_message_with_too_many_detections_is_dropped_as_noise(receiver: Receiver) -> None:
    many, few = bytes(n6post.to_bytes([seen()] * 33)), bytes(n6post.to_bytes([seen()] * 32))
    found, dropped = receiver(few + many + few)
    assert [len(records) for _, records in found] == [32, 32] and dropped == len(many)


@pytest.mark.parametrize("most", [1, 32, 255])
@pytest.mark.parametrize(
    "compiler",
    ["gcc -std=c99 -pedantic", "g++ -x c++ -std=c++11", "arm-none-eabi-gcc -std=c99 -mcpu=cortex-m0 -mthumb"],
)
def test_the_parser_compiles_without_warnings(compiler: str, most: int, tmp_path: Path) -> None:
    build(tmp_path, *compiler.split(), *STRICT, f"-DN6POST_MAX_DETECTIONS={most}", "-c", RECEIVER / "n6post_parser.c")


ARDUINO = """
#include <stdio.h>
#include <stdlib.h>
static unsigned long now;  // a byte comes in each millisecond, and then nothing for 0.7 seconds
static int next = -1;
struct Port {
  void begin(long baud) { if (baud != 115200) exit(2); }
  bool available() { return next >= 0; }
  int read() { int byte = next; next = -1; return byte; }
} Serial1;
unsigned long millis() { return now; }
void analogWrite(int pin, int value) { printf("%d=%d ", pin, value); }
#define constrain(x, low, high) ((x) < (low) ? (low) : (x) > (high) ? (high) : (x))
#include "arduino_robot.ino"
int main() {
  setup();
  for (int byte; (byte = getchar()) != EOF; now++) { next = byte; loop(); }
  for (int i = 0; i < 700; i++, now++) loop();
}
"""


def test_the_sketch_drives_towards_the_object_and_stops_in_silence(tmp_path: Path) -> None:
    (tmp_path / "main.cpp").write_text(ARDUINO, encoding="utf-8")
    build(tmp_path, "g++", "-I", RECEIVER, "main.cpp", "-x", "c++", RECEIVER / "n6post_parser.c", "-o", "sketch")
    objects = [[seen((100, 0, 40, 80))], [seen((300, 0, 40, 80))], [seen((500, 0, 100, 80))], [seen((300, 0, 40, 300))], []]
    data = b"".join([bytes(n6post.to_bytes(one)) for one in objects])
    done = subprocess.run([tmp_path / "sketch"], input=data, capture_output=True, check=True, timeout=60)
    pairs = re.findall(r"5=(\d+) 6=(\d+) ", done.stdout.decode())
    assert pairs[:5] == [("70", "170"), ("120", "120"), ("177", "63"), ("0", "0"), ("0", "0")]
    assert len(pairs) == 5 + 200 and set(pairs[5:]) == {("0", "0")}
