"""Compile a network for the NPU of the OpenMV AE3 with Vela, Arm's compiler for the Ethos-U55, and report its estimates.

The package ethos-u-vela is installed in a separate environment, because it may need another numpy. The options are those of
OpenMV's build for the models that come with the AE3 (openmv/openmv, ports/alif/alif.mk and tools/vela.ini). OpenMV uses
4.2.0, which leaves slightly more to the CPU.
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

from .. import paths
from ..command import UserError
from . import graph, tflm

VERSION = "5.2.0"
_PINS = paths.HERE / "data" / "vela.txt"  # with hashes; scripts/dev/lock_requirements.py writes it

SRAM = 4 << 20  # bytes: SRAM0, the block of the heap that must hold the tensors (boards/OPENMV_AE3/board_config.h)

# OpenMV's system config RTSS_HP_SRAM_OSPI: the vision core, its SRAM, and the flash of the ROMFS on OSPI. Clocks are in Hz,
# memory clocks as fractions of the core's, bursts in bytes and latencies in cycles.
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
# Vela spells "optimise" so.
_OPTIONS = ("--accelerator-config", "ethos-u55-256", "--system-config", "AE3", "--memory-mode", "Shared_Sram",
            "--optimise", "Performance", "--verbose-performance")  # fmt: skip

_SECONDS = 600  # timeout for one network; the largest ones tried take three seconds


@dataclass(frozen=True)
class Verdict:
    """Vela's estimates for a network. Operators are counted after Vela's optimizations.

    on_npu          number of operators that run on the NPU
    on_cpu          number of operators that run on the CPU, by name
    sram, flash     memory in bytes
    cycles          cycles of the NPU at 400 MHz, including the time that it waits for memory
    milliseconds    the same as a time
    macs            number of multiply-adds
    missing         operators left to the CPU that the camera's firmware lacks
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
        findings = []
        if self.sram > SRAM:
            findings.append(
                f"memory: Vela allocates {self.sram / (1 << 20):.2f} MiB of SRAM, and the AE3 has {SRAM >> 20} MiB for it:"
                " use a smaller input"
            )
        if self.missing:
            findings.append(f"AE3: {tflm.refused(self.missing)}")
        return findings

    def as_json(self) -> dict[str, Any]:
        return {"compiler": f"ethos-u-vela {VERSION}", **asdict(self)}


def cache() -> Path:
    """The folder for downloaded tools: N6POST_CACHE, or n6post in the user's cache folder."""
    if "N6POST_CACHE" in os.environ:
        return Path(os.environ["N6POST_CACHE"])
    place = os.environ.get("LOCALAPPDATA") if os.name == "nt" else os.environ.get("XDG_CACHE_HOME")
    return Path(place or Path.home() / ".cache") / "n6post"


def compiler() -> Path:
    """The Python interpreter of the environment with Vela, which is installed on first use. UserError if this fails."""
    if not is_installed():
        _install(_folder())
    return _python(_folder())


def is_installed() -> bool:
    return _folder().is_dir()


def _folder() -> Path:
    return cache() / f"vela-{VERSION}"


def _python(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _install(folder: Path) -> None:
    what = f"Arm's compiler ethos-u-vela {VERSION}"
    print(f"Installing {what} into {folder}: 110 MB, usually less than a minute.", file=sys.stderr, flush=True)
    # Install into a temporary folder and rename it at the end. This is safe if it is interrupted or runs twice at a time.
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix="vela-", dir=folder.parent))
    except OSError as error:
        raise UserError(f"the folder for Vela cannot be created: {error}; N6POST_CACHE sets another one") from error
    try:
        _run_checked([sys.executable, "-m", "venv", str(made)])
        pip = [str(_python(made)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _run_checked([*pip, "--no-deps", "--require-hashes", "-r", str(_PINS)])
        made.rename(folder)
    except OSError as error:
        if not folder.is_dir():  # otherwise another process was faster
            raise UserError(f"Vela cannot be installed in {folder}: {error}") from error
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _run_checked(command: list[str]) -> None:
    """Run a step of the installation. UserError with its last line if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    if done.returncode:
        output = (done.stderr + done.stdout).strip().splitlines() or ["no message"]
        raise UserError(f"Vela cannot be installed: {output[-1]}")


def compile_model(python: Path, model: Path, out: Path | None = None) -> Verdict:
    """Compile a .tflite with Vela and return its estimates. ValueError if Vela cannot compile the model.

    out     where to write the compiled model, or None
    """
    with tempfile.TemporaryDirectory(prefix="n6post-vela-") as folder:
        work = Path(folder)
        config = work / "ae3.ini"
        config.write_text(_CONFIG, encoding="utf-8")
        # A copy with a simple name, because Vela cuts a name at its first dot to name its own files.
        network = work / "network.tflite"
        shutil.copyfile(model, network)
        command = [str(python), "-m", "ethosu.vela", str(network), "--config", str(config), "--output-dir", folder]
        try:
            done = subprocess.run(
                [*command, *_OPTIONS], capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
                timeout=_SECONDS,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise ValueError(f"Vela did not finish within {_SECONDS} seconds") from error
        except OSError as error:
            raise UserError(f"Vela does not run: {error}; remove {python.parents[1]} to install it again") from error
        compiled = work / "network_vela.tflite"
        if done.returncode or not compiled.is_file():
            output = (done.stdout + done.stderr).strip().splitlines()
            errors = [line for line in output if "Error" in line or "Failed" in line]
            raise ValueError(f"Vela cannot compile it: {errors[-1].strip() if errors else f'exit code {done.returncode}'}")
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
    with table.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
