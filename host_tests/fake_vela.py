"""A fake of the environment with Arm's compiler. Its output is that of ethos-u-vela 5.2.0 for OpenMV's yolov8n_192."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import model_files
import pytest
from n6post_pc.models import vela

# The relevant columns of Vela's tables, with its order and digits: two layers on the NPU and the only one on the CPU.
SUMMARY = """\
experiment,network,core_clock,inference_time,sram_memory_used,off_chip_flash_memory_used,nn_macs,cycles_npu,cycles_total
default,network,400000000.0,0.0130293075,815.8125,2104.703125,366084828,4065383,5211723
"""
LAYERS = """\
Original Operator,NNG Operator,Target,Op Cycles,Name
Quantize,Quantize,NPU,55458,tfl.quantize
Conv2D,Conv2D,NPU,56183,"model_1/tf.math.add/Add;model_1/tf.nn.convolution,4"
Dequantize,Passthrough,CPU,0,PartitionedCall:0
"""
# Options of Vela 5.2.0, as its help spells them. It ends with exit code 2 if it gets another one.
OPTIONS = ("--accelerator-config", "--config", "--memory-mode", "--optimise", "--output-dir", "--system-config",
           "--verbose-performance")  # fmt: skip
_PROGRAM = """\
#!{python}
import pathlib, sys
arguments = sys.argv[1:]
if any(word.startswith("--") and word not in {options!r} for word in arguments):
    sys.exit(2)
pathlib.Path({asked!r}).write_text("\\n".join(arguments))
assert arguments[:2] == ["-m", "ethosu.vela"]
network = pathlib.Path(arguments[2])
out = pathlib.Path(arguments[arguments.index("--output-dir") + 1])
if b"refuse" in network.read_bytes():
    sys.exit("Error: Invalid tensor: 'x' has no shape")
if b"crash" in network.read_bytes():
    import os, signal
    os.kill(os.getpid(), signal.SIGSEGV)
(out / (network.stem + "_summary_AE3.csv")).write_text({summary!r})
(out / (network.stem + "_per-layer.csv")).write_text({layers!r})
(out / (network.stem + "_vela.tflite")).write_bytes({compiled!r})
"""


def compiled() -> bytes:
    """The compiled file, which is the same for any network."""
    return model_files.for_ethos() + b"by the stand-in"


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install the fake where n6post looks for Vela. Returns the file that will contain the arguments of the call."""
    if os.name == "nt":
        pytest.skip("the stand-in for Vela is a script with a #! line")
    monkeypatch.setenv("N6POST_CACHE", str(folder))
    python = folder / f"vela-{vela.VERSION}" / "bin" / "python"
    python.parent.mkdir(parents=True)
    asked = folder / "asked.txt"
    program = _PROGRAM.format(
        python=sys.executable, options=OPTIONS, asked=str(asked), summary=SUMMARY, layers=LAYERS, compiled=compiled()
    )
    python.write_text(program, encoding="utf-8")
    python.chmod(0o755)
    return asked
