"""Record what versions of Vela make of a small network whose SiLUs are tables, for host_tests/pc/test_silu_tables.py.

    .venv/bin/python scripts/dev/recording/record_vela.py PYTHON [PYTHON ...]

Each PYTHON is the interpreter of an environment with another version of ethos-u-vela.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import recorder
from n6post_pc.build import silu_tables
from n6post_pc.models import vela


def main(*pythons: Path) -> None:
    sys.path.insert(0, str(recorder.ROOT / "host_tests"))
    from silu_network import network

    compiled = {}
    for python in pythons:
        asked = [str(python), "-c", "from importlib.metadata import version; print(version('ethos-u-vela'))"]
        version = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
        with tempfile.TemporaryDirectory() as folder:
            model, out = Path(folder) / "network.tflite", Path(folder) / "compiled.tflite"
            model.write_bytes(silu_tables.replaced(network())[0])
            vela.compile_model(python, model, out)
            compiled[version] = np.frombuffer(out.read_bytes(), np.uint8)
    recorder.write(recorder.ROOT / "host_tests" / "data" / "vela_silu.npz.xz", compiled)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
