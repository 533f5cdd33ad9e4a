"""Process thousands of frames on a heap of 1 MiB and check for memory leaks.

    python3 scripts/dev/soak_test.py [--frames 20000] [--micropython PATH]

The loop (scripts/device/soak_test.py) uses the recorded tensors of all networks in turn, with changing scenes (objects
come and go, crowds, empty scenes) and options, and with tracker, zones, trail, drawing and text. The same thousand frames
repeat, and the memory in use after each repetition has to be the same. PATH is a MicroPython with ulab. Without it, node
runs npm's MicroPython, which has no ulab, with made-up detections and the parts that do not need ulab: tracker, zones,
trail and text. --folder FOLDER only writes the files for a camera.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import _venv

if __name__ == "__main__":
    _venv.enter("test")

import argparse
import json
import os
import shutil
import subprocess
import tempfile
from typing import Any

sys.path[:0] = [str(_venv.ROOT / folder) for folder in ("lib", "stubs", "host_tests")]

import numpy as np
import vm
from n6post_pc.demo import recorded

DEVICE = _venv.ROOT / "scripts" / "device" / "soak_test.py"
LIB = _venv.ROOT / "lib"
MAPS = "deeplab_320"  # its two results take 205 KB more, so it shares a heap of 1 MiB with the small networks


def write(folder: Path, models: list[str]) -> int:
    """Write the networks' outputs as raw int8 bytes (the detector's as floats, as it returns them) and soak.json.

    Returns the size of the largest one in bytes. They share this memory, which is outside the heap on a camera.
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
                tensors = [tensor.reordered(0, 2, 3, 1) for tensor in tensors]  # as compiled for the camera
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
    (folder / "soak.json").write_text(json.dumps({"networks": networks}), encoding="utf-8")
    return max(network["bytes"] for network in networks)


def followed(words: list[str], environment: dict[str, str]) -> dict[str, Any]:
    """The report in the device's last line. The output is shown while the device runs."""
    last = ""
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=os.environ | environment) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            last = line.strip() or last
    if process.returncode or not last.startswith("{"):
        sys.exit(f"soak_test.py stopped before its end: {last}")
    report: dict[str, Any] = json.loads(last)
    return report


def on_npms_micropython(device: Path, frames: int, block: int) -> dict[str, Any]:
    """The same in npm's MicroPython, on a heap of 1 MiB. It collects garbage between calls only: one call per frame."""
    machine = vm.Machine(1 << 20, {"/lib": LIB, **vm.VIPER})
    machine.copy({"/soak_test.py": device})
    machine.run("import sys\nsys.path[:] = ['/lib', '/stand-ins', '/']\nimport soak_test")
    machine.run(f"frames = soak_test.running(None, {frames}, {block})")
    last = ""
    while True:
        *printed, result = machine.run("print(next(frames, 'the end'))").splitlines()
        for last in printed:
            print(last, flush=True)
        if result == "the end":
            machine.close()
            report: dict[str, Any] = json.loads(last)
            return report


def judged(report: dict[str, Any]) -> bool:
    """Check that no memory leaks. Up to 200 texts and colors are cached, so the second half may have a few more."""
    return report["growth"] <= 0 and report["level_second_half"] <= report["level_first_half"] + 32768


def main() -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--frames", type=int, default=20000)
    parser.add_argument("--block", type=int, default=1000, help="number of frames that repeat")
    parser.add_argument("--micropython", type=Path, metavar="PATH")
    parser.add_argument("--heap", type=int, default=1024, help="KiB of heap for --micropython, without the networks")
    parser.add_argument("--folder", type=Path, help="only write the files for a camera, in two folders")
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
            results = [on_npms_micropython(DEVICE, arguments.frames, arguments.block)]
    finally:
        if not arguments.folder:
            shutil.rmtree(place)
    good = all(judged(summary) for summary in results)
    print("No memory leak." if good else "There is a memory leak.")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
