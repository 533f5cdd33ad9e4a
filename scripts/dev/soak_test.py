"""Thousands of frames on a heap of 1 MiB, and whether anything is left behind.

    python3 scripts/dev/soak_test.py [--frames 20000] [--micropython PATH]

The recorded tensors of all networks in turn, with scenes that change (objects come and go, crowds, nobody), options that
change, tracker, zones, trail, drawing and text in the loop (scripts/device/soak_test.py). Every thousand frames are the
same, and so has to be what is in use behind them. PATH is a MicroPython with ulab. Without it node runs npm's
MicroPython, which has no ulab, with made-up detections and what needs none: tracker, zones, trail and text. --folder
FOLDER only writes what a camera needs.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import _venv

_venv.enter()

import argparse
import json
import os
import shutil
import subprocess
import tempfile
from typing import Any

sys.path[:0] = [str(_venv.ROOT / folder) for folder in ("lib", "stubs", "host_tests")]

import numpy as np
import recorded
import vm

DEVICE = _venv.ROOT / "scripts" / "device" / "soak_test.py"
LIB = _venv.ROOT / "lib"
RUNNER = _venv.ROOT / "host_tests" / "soak_vm.mjs"
MAPS = "deeplab_320"  # its two results take 205 KB more: it shares a heap of 1 MiB with the small networks


def write(folder: Path, models: list[str]) -> int:
    """The networks' outputs as raw bytes, as int8 (as floats for the detector, which outputs floats), and soak.json.

    Returns how many bytes the largest one takes: they share this memory, which a camera has beside the heap.
    """
    folder.mkdir(parents=True, exist_ok=True)
    networks: list[dict[str, Any]] = []
    for name in models:
        files, size = [], 0
        for picture in recorded.index()[name]["pictures"]:
            recording = recorded.load(name, picture)
            model = recording.model(raw=name != "yolov8n_192")
            tensors = model.tensors
            if name == MAPS:
                tensors = [tensor.reordered(0, 2, 3, 1) for tensor in tensors]  # as a compiler for the camera leaves them
            data = b"".join(np.ascontiguousarray(tensor.values).tobytes() for tensor in tensors)
            (folder / f"{name}_{picture}.bin").write_bytes(data)
            files.append(f"{name}_{picture}.bin")
            size = max(size, len(data))
        outputs = [
            {"shape": list(t.values.shape), "dtype": code, "scale": t.scale or 1.0, "zero_point": t.zero_point}
            for t, code in zip(tensors, model.output_dtype, strict=True)
        ]
        networks.append(
            {
                "processor": recording.processor,
                "input_size": list(recording.size),
                "labels": recording.labels,
                "outputs": outputs,
                "files": files,
                "bytes": size,
            }
        )
    (folder / "soak.json").write_text(json.dumps({"networks": networks}))
    return max(network["bytes"] for network in networks)


def followed(words: list[str], environment: dict[str, str]) -> dict[str, Any]:
    """What the device tells in its last line; what it prints is shown as it comes."""
    last = ""
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=os.environ | environment) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            last = line.strip() or last
    if process.returncode or not last.startswith("{"):
        sys.exit(f"it did not come to its end: {last}")
    told: dict[str, Any] = json.loads(last)
    return told


def judged(told: dict[str, Any]) -> bool:
    """Nothing is left behind. Texts and colours, of which up to 200 are kept, may be some more in the second half."""
    return told["growth"] <= 0 and told["level_second_half"] <= told["level_first_half"] + 32768


def main() -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--frames", type=int, default=20000)
    parser.add_argument("--block", type=int, default=1000, help="frames that are the same again and again")
    parser.add_argument("--micropython", type=Path, metavar="PATH")
    parser.add_argument("--heap", type=int, default=1024, help="KiB of --micropython, besides the memory of the networks")
    parser.add_argument("--folder", type=Path, help="only write what a camera needs, in two folders")
    arguments = parser.parse_args()
    if arguments.frames < 3 * arguments.block:
        parser.error("--frames: expected three blocks or more")
    runs = {"boxes": [name for name in recorded.index() if name != MAPS]}
    runs["maps"] = [MAPS] + [name for name in runs["boxes"] if name.startswith("movenet")]
    place = arguments.folder or Path(tempfile.mkdtemp())
    counts = [str(arguments.frames), str(arguments.block)]
    try:
        if arguments.folder or arguments.micropython:
            sizes = {name: write(place / name, models) for name, models in runs.items()}
        if arguments.folder:
            return
        if arguments.micropython:
            results = []
            for name, size in sizes.items():
                words = [str(arguments.micropython), "-X", f"heapsize={1024 * arguments.heap + size}", str(DEVICE)]
                results.append(followed([*words, str(place / name), *counts], {"MICROPYPATH": str(LIB)}))
        else:
            results = [followed([vm.node(), str(RUNNER), str(vm.module()), str(LIB), str(DEVICE), *counts], {})]
    finally:
        if not arguments.folder:
            shutil.rmtree(place)
    good = all(judged(summary) for summary in results)
    print("No memory leak." if good else "There is a memory leak.")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
