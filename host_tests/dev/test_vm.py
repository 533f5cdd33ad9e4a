"""host_tests/vm.py: it installs npm's MicroPython, and skips the tests that need it if that is not possible."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import vm


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder without a MicroPython, and a copy of the lock file."""
    shutil.copytree(vm.LOCK, tmp_path / "lock")
    monkeypatch.setattr(vm, "PLACE", tmp_path / "npm" / "version")
    monkeypatch.setattr(vm, "LOCK", tmp_path / "lock")
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    vm.node()  # skipped without node
    vm._install.cache_clear()
    yield tmp_path
    vm._install.cache_clear()


@pytest.fixture
def no_registry(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9")
    monkeypatch.setenv("npm_config_cache", str(place / "cache"))


@pytest.mark.usefixtures("no_registry")
def test_without_a_registry_a_test_on_micropython_skips(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    for _ in range(2):  # the second time npm is not called
        with pytest.raises(pytest.skip.Exception, match="needs npm's registry"):
            vm.module()
        monkeypatch.setattr(vm.subprocess, "run", None)


@pytest.mark.usefixtures("no_registry")
def test_without_a_registry_in_ci_a_test_on_micropython_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="has to run the tests on MicroPython.*needs npm's registry"):
        vm.module()


def test_a_package_with_another_hash_is_not_installed(place: Path) -> None:
    lock = place / "lock" / "package-lock.json"
    content = json.loads(lock.read_text(encoding="utf-8"))
    (entry,) = (entry for path, entry in content["packages"].items() if path)
    entry["integrity"] = "sha512-" + "A" * 86 + "=="
    lock.write_text(json.dumps(content), encoding="utf-8")
    reason = vm._install()
    if "EINTEGRITY" not in reason:
        pytest.skip(reason)
    assert not vm.PLACE.exists()


def test_the_locked_version_is_the_version_in_vm_py() -> None:
    packages = json.loads((vm.LOCK / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert packages[""]["dependencies"] == {vm.PACKAGE: vm.VERSION}
    assert packages[f"node_modules/{vm.PACKAGE}"]["version"] == vm.VERSION
    assert "resolved" not in packages[f"node_modules/{vm.PACKAGE}"]  # the lock file contains no registry URL
