"""Write every generated file: `python3 scripts/dev/generate.py`. With --check only list those that are stale.

In this order: constants that several files share, stubs/_viper, kernels/helium and kernels/m7
(only with GCC 12.2 for ARM, since another compiler generates different code), __init__.pyi, docs/api*.md, package.json.

make_selftest.py writes the recorded cases in scripts/device/selftest.py.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import _venv

if __name__ == "__main__":
    _venv.enter("test")

import argparse
from collections.abc import Iterator

sys.path[:0] = [str(_venv.ROOT / folder) for folder in ("scripts/dev/generating", "lib", "stubs")]

GCC = "12.2."


def generated() -> Iterator[tuple[Path, str]]:
    """Each generated file and its expected text."""
    import build_kernels
    import write_api
    import write_consts
    import write_package_json
    import write_types
    import write_viper_stand_ins

    yield from write_consts.files()
    for name in write_viper_stand_ins.WHAT:
        yield write_viper_stand_ins.target_of(name), write_viper_stand_ins.text(name)
    found = build_kernels.compiler()
    if found.startswith(GCC):
        for name, text in build_kernels.files().items():
            yield build_kernels.FOLDER / name, text
    else:
        print(f"skipped: kernels/helium and kernels/m7, which need arm-none-eabi-gcc {GCC}x, not {found or 'none'}")
    types = write_types.text(write_types.TARGET.read_text(encoding="utf-8"))
    yield write_types.TARGET, types
    yield from write_api.pages(types).items()
    yield write_package_json.TARGET, write_package_json.text()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="list stale files; exit with 1 if there are any")
    check = parser.parse_args().check
    stale = False
    for target, text in generated():
        if target.exists() and target.read_text(encoding="utf-8") == text:
            continue
        stale = True
        print(f"{'stale' if check else 'wrote'}: {target.relative_to(_venv.ROOT).as_posix()}")
        if not check:
            target.write_text(text, encoding="utf-8")
    if check and stale:
        sys.exit("run python3 scripts/dev/generate.py")


if __name__ == "__main__":
    main()
