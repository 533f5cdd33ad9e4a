"""What the OpenMV AE3 will make of a network, by Arm's own compiler for its NPU, the Ethos-U55.

The compiler is the package ethos-u-vela, in an environment of its own: its numpy need not be that of this one. It is asked
as OpenMV's build asks it for the models that come with the AE3 (openmv/openmv, ports/alif/alif.mk and tools/vela.ini),
which has 4.2.0 and leaves a little more to the CPU.
"""

import csv
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from . import graph, tflm
from .command import UserError

VERSION = "5.2.0"

SRAM = 4 << 20  # bytes: the heap's block in which the tensors have to lie, SRAM0 (boards/OPENMV_AE3/board_config.h)

# The core for vision and its memories: SRAM, and the flash of the ROMFS behind OSPI; clocks in Hz, scales of that clock,
# bursts in bytes, latencies in cycles. OpenMV's system config RTSS_HP_SRAM_OSPI.
_CONFIG = """\
[System_Config.AE3]
core_clock=400e6
axi0_port=Sram
axi1_port=OffChipFlash
Sram_clock_scale=0.762
Sram_burst_length=8
Sram_read_latency=29
Sram_write_latency=29
OffChipFlash_clock_scale=0.052
OffChipFlash_burst_length=16
OffChipFlash_read_latency=108
OffChipFlash_write_latency=108

[Memory_Mode.Shared_Sram]
const_mem_area=Axi1
arena_mem_area=Axi0
cache_mem_area=Axi0
"""
_OPTIONS = ("--accelerator-config", "ethos-u55-256", "--system-config", "AE3", "--memory-mode", "Shared_Sram",
            "--optimise", "Performance", "--verbose-performance")  # fmt: skip

_SECONDS = 600  # for one network; the largest here take three


@dataclass(frozen=True)
class Verdict:
    """What Vela says of a network, as it counts after its own rewriting.

    on_cpu          how many operators of which name the NPU does not take
    sram, flash     bytes
    cycles          of the NPU at 400 MHz and of the memories it waits for, as estimated by Vela; milliseconds is the same
    macs            multiply-adds
    missing         operators left to the CPU that the camera's firmware has not
    """

    on_npu: int
    on_cpu: dict[str, int]
    sram: int
    flash: int
    cycles: int
    milliseconds: float
    macs: int
    missing: list[str]

    def findings(self) -> list[str]:
        found = []
        if self.sram > SRAM:
            found.append(
                f"memory: Vela plans {self.sram / (1 << 20):.2f} MiB of SRAM, and the AE3 has {SRAM >> 20} MiB for it:"
                " take a smaller input"
            )
        if self.missing:
            found.append(f"AE3: {tflm.refused(self.missing)}")
        return found

    def as_json(self) -> dict[str, Any]:
        return {"compiler": f"ethos-u-vela {VERSION}", **asdict(self)}


def cache() -> Path:
    """Where n6post keeps what it had to fetch: N6POST_CACHE, or a folder of the user's cache."""
    if "N6POST_CACHE" in os.environ:
        return Path(os.environ["N6POST_CACHE"])
    place = os.environ.get("LOCALAPPDATA") if os.name == "nt" else os.environ.get("XDG_CACHE_HOME")
    return Path(place or Path.home() / ".cache") / "n6post"


def compiler() -> Path:
    """The Python that has Vela, made on first use. UserError where it cannot be had."""
    folder = cache() / f"vela-{VERSION}"
    if not folder.is_dir():
        _install(folder)
    return _python(folder)


def _python(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _install(folder: Path) -> None:
    what = f"Arm's compiler ethos-u-vela {VERSION}"
    print(f"{what}: installing it into {folder}, once (110 MB) ...", file=sys.stderr, flush=True)
    # Beside it, and put in place whole: an interrupted installation is none, and two at a time do not meet.
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix="vela-", dir=folder.parent))
    except OSError as error:
        raise UserError(f"Vela needs a folder to be installed in: {error} (N6POST_CACHE names another one)") from error
    try:
        _run_or_say([sys.executable, "-m", "venv", str(made)])
        pip = [str(_python(made)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _run_or_say([*pip, f"ethos-u-vela=={VERSION}"])
        made.rename(folder)
    except OSError as error:
        if not folder.is_dir():  # else another process was first
            raise UserError(f"Vela cannot be installed in {folder}: {error}") from error
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _run_or_say(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        said = (done.stderr + done.stdout).strip().splitlines() or ["nothing was said"]
        raise UserError(f"Vela cannot be had here: {said[-1]}")


def compile_model(python: Path, model: Path, out: Path | None = None) -> Verdict:
    """What Vela says of a .tflite; its compiled file goes to `out`. ValueError, a sentence, for one it does not take."""
    with tempfile.TemporaryDirectory(prefix="n6post-vela-") as folder:
        work = Path(folder)
        config = work / "ae3.ini"
        config.write_text(_CONFIG)
        # A name of its own: Vela cuts a name at its first dot to make those of its files.
        network = work / "network.tflite"
        shutil.copyfile(model, network)
        command = [str(python), "-m", "ethosu.vela", str(network), "--config", str(config), "--output-dir", folder]
        try:
            done = subprocess.run(
                [*command, *_OPTIONS], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=_SECONDS
            )
        except subprocess.TimeoutExpired as error:
            raise ValueError(f"Vela has not finished after {_SECONDS} seconds") from error
        except OSError as error:
            raise UserError(f"Vela does not run: {error}; remove {python.parents[1]} to have it installed anew") from error
        compiled = work / "network_vela.tflite"
        if done.returncode or not compiled.is_file():
            said = [line for line in (done.stdout + done.stderr).strip().splitlines() if "Error" in line or "Failed" in line]
            raise ValueError(f"Vela does not take it: {said[-1].strip() if said else f'it ended with {done.returncode}'}")
        verdict = _verdict(work, compiled.read_bytes())
        if out is not None:
            shutil.copyfile(compiled, out)
        return verdict


def _verdict(folder: Path, compiled: bytes) -> Verdict:
    (summary,) = _rows(folder / "network_summary_AE3.csv")
    layers = _rows(folder / "network_per-layer.csv")
    on_cpu = Counter(layer["Original Operator"] for layer in layers if layer["Target"] != "NPU")
    return Verdict(
        on_npu=len(layers) - on_cpu.total(),
        on_cpu=dict(on_cpu),
        sram=round(float(summary["sram_memory_used"]) * 1024),
        flash=round(float(summary["off_chip_flash_memory_used"]) * 1024),
        cycles=int(summary["cycles_total"]),
        milliseconds=float(summary["inference_time"]) * 1000,
        macs=int(summary["nn_macs"]),
        missing=tflm.missing(graph.parse(compiled)),
    )


def _rows(table: Path) -> list[dict[str, str]]:
    with table.open(newline="") as file:
        return list(csv.DictReader(file))
