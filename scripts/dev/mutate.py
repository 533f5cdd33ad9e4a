"""Do the tests notice a wrong line? `python3 scripts/dev/mutate.py quant layout kernels.portable_maps --sample 60`.

Breaks a module of lib in one place at a time, by mutmut's rules (`+` becomes `-`, `<` becomes `<=`, 3 becomes 4, an argument
None), and runs those tests that come by that place. A mutant that they all pass is printed as a diff: either a test is
missing, or nobody can tell the two apart. Mutants of the second kind stand in scripts/dev/equivalent/MODULE.txt, as diffs
below a line "# reason"; they count neither as dead nor as alive. The exit code is 0 where --least percent of the others die.

Nothing is written into the tree: a mutant lives in a forked process only, where its functions take the place of the sound
ones where pytest has collected the tests already. A survivor of what runs outside of tests too, at an import say, or of a
function within a function is then imported in the module's place before anything else is. Results are kept in build/mutants:
a run goes on where the last one was stopped, and asks survivors again when tests have changed.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import _venv

if __name__ == "__main__":
    _venv.enter()

import argparse
import functools
import hashlib
import importlib.machinery
import importlib.util
import json
import math
import os
import random
import resource
import signal
import time
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

ROOT = _venv.ROOT
TESTS = ROOT / "host_tests"
EQUIVALENT = Path(__file__).with_name("equivalent")
KEPT = ROOT / "build" / "mutants"

# Which tests judge a module, where it is not (only) the file of its own name.
JUDGES = {
    "answers": ["answers", "detection"],
    "contour": ["mask", "segmentation"],
    "cutting": ["cutting", "mask"],
    "deeplab": ["deeplab", "processor", "names"],
    "detection": ["detection", "answers", "pose"],
    "draw": ["draw", "segmentation"],
    "edges": ["edges", "segmentation", "overlap", "mask"],
    "heads": ["heads", "end2end"],
    "inputs": ["geometry"],
    "kernels.portable": ["kernels_portable", "skeleton", "overlap", "zones"],
    "kernels.portable_boxes": ["kernels_portable", "nms", "overlap", "mask", "yolo"],
    "kernels.portable_drawing": ["kernels_portable", "draw", "cutting"],
    "kernels.portable_maps": ["kernels_portable"],
    "kernels.portable_poses": ["skeleton"],
    "kernels.portable_text": ["to_json"],
    "kernels.portable_tracks": ["tracker"],
    "labels": ["labels", "names"],
    "layout": ["layout", "yolo", "deeplab", "movenet"],
    "movenet": ["movenet", "processor", "options"],
    "painting": ["draw", "cutting", "segmentation", "mask", "resizing"],
    "positions": ["positions", "zones", "trail", "overlays"],
    "processor": ["processor", "options", "resizing"],
    "quant": ["quant", "processor"],
    "scaling": ["scaling", "geometry"],
    "segmentation": ["segmentation", "deeplab", "names", "answers"],
    "shape": ["mask", "cutting", "overlap"],
    "skeleton": ["skeleton", "draw"],
    "tracker": ["tracker", "one_euro"],
    "trail": ["trail", "overlays"],
    "yolo": ["yolo", "end2end", "heads", "nms", "processor", "options"],
    "yolo_pose": ["pose", "yolo", "options"],
    "yolo_seg": ["mask", "yolo", "heads", "options"],
    "zones": ["zones", "overlays"],
}


class Mutant(NamedTuple):
    """One change. `lines` are those of which at least one runs where it matters; none for what an import runs."""

    line: int
    lines: tuple[int, ...]
    diff: str  # "-old" and "+new" lines
    code: str
    made: bool = False  # in a function that a function makes, which somebody may keep

    @property
    def key(self) -> str:
        return hashlib.sha256(self.code.encode()).hexdigest()[:16]


class Target(NamedTuple):
    """What is broken, and who is to notice."""

    name: str  # as it is imported
    path: Path
    tests: list[Path]


def target_of(module: str) -> Target:
    path = ROOT / "lib" / "n6post" / (module.replace(".", "/") + ".py")
    if not path.is_file():
        raise SystemExit(f"there is no {path}")
    judges = [TESTS / f"test_{name}.py" for name in JUDGES.get(module, [module])]
    if missing := [test.name for test in judges if not test.is_file()]:
        raise SystemExit(f"{module}: no {', '.join(missing)}; its judges belong into JUDGES of scripts/dev/mutate.py")
    return Target("n6post." + module, path, judges)


# --- making them ---


def mutants(source: str) -> list[Mutant]:
    """Every mutant of a module's source that compiles."""
    import libcst
    from libcst.metadata import MetadataWrapper, PositionProvider
    from mutmut.mutation.mutators import mutation_operators

    wrapper = MetadataWrapper(libcst.parse_module(source), unsafe_skip_copy=True)
    places = wrapper.resolve(PositionProvider)
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    found: dict[str, Mutant] = {}

    class Visitor(libcst.CSTVisitor):
        def __init__(self) -> None:
            super().__init__()
            self.statements: list[int] = []  # first lines of the statements around
            self.functions = 0

        def on_visit(self, node: libcst.CSTNode) -> bool:
            # Left out as by mutmut: what a type says, and two calls that everything falls over without.
            if isinstance(node, libcst.Annotation):
                return False
            called = node.func if isinstance(node, libcst.Call) else None
            if isinstance(called, libcst.Name) and called.value in ("len", "isinstance"):
                return False
            if isinstance(node, libcst.BaseStatement | libcst.BaseSmallStatement):
                self.statements.append(places[node].start.line)
            for kind, operator in mutation_operators:
                if isinstance(node, kind):
                    for changed in operator(node):
                        self.add(node, changed)
            return True

        def on_leave(self, original_node: libcst.CSTNode) -> None:
            if isinstance(original_node, libcst.BaseStatement | libcst.BaseSmallStatement):
                self.statements.pop()

        # Defaults and decorators are the import's.
        def on_visit_attribute(self, node: libcst.CSTNode, attribute: str) -> None:
            self.functions += isinstance(node, libcst.FunctionDef) and attribute == "body"

        def on_leave_attribute(self, original_node: libcst.CSTNode, attribute: str) -> None:
            self.functions -= isinstance(original_node, libcst.FunctionDef) and attribute == "body"

        def add(self, node: libcst.CSTNode, changed: libcst.CSTNode) -> None:
            place = places[node]
            begin = starts[place.start.line - 1] + place.start.column
            end = starts[place.end.line - 1] + place.end.column
            code = source[:begin] + wrapper.module.code_for_node(changed) + source[end:]
            try:
                compile(code, "", "exec")
            except SyntaxError:
                return
            first, last = place.start.line, place.end.line
            reached = (self.statements[-1], *range(first, last + 1)) if self.functions and self.statements else ()
            new = code.splitlines()[first - 1 : last + len(code.splitlines()) - len(lines)]
            diff = [*("-" + line.rstrip("\n") for line in lines[first - 1 : last]), *("+" + line for line in new)]
            found.setdefault(code, Mutant(first, reached, "\n".join(diff), code, self.functions > 1))

    wrapper.module.visit(Visitor())
    return sorted(found.values())


# --- asking the tests ---


_SETUP = " (set-up)"  # of a test, where what is done may serve others too


class Judge:
    """pytest's plugin in a forked process: which tests run, in which order, and what came of them."""

    def __init__(
        self,
        chosen: dict[str, float] | None,
        switch: Callable[[str], object] | None = None,
        serve: Callable[[Any], None] | None = None,
    ):
        self.chosen = chosen
        self.switch = switch
        self.serve = serve  # called with the session in the place of its tests
        self.started = 0.0
        self.durations: dict[str, float] = {}  # of the core
        self.failed = ""

    def pytest_sessionstart(self) -> None:
        import hypothesis

        # After conftest.py has loaded its profile: the same examples, but nothing is made smaller before it is told.
        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        hypothesis.settings.register_profile("mutants", phases=phases, database=None)
        hypothesis.settings.load_profile("mutants")

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        if self.chosen is not None:
            items[:] = arranged(items, self.chosen)

    def pytest_runtestloop(self, session: Any) -> bool | None:
        if self.serve is None:
            return None
        self.serve(session)
        return True

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.started = time.process_time()
        if self.chosen is not None:  # whoever takes five times as long, and a second, does not come back: SIGPROF ends it
            signal.setitimer(signal.ITIMER_PROF, 1 + 5 * self.chosen[nodeid])

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.durations[nodeid] = time.process_time() - self.started

    def pytest_runtest_setup(self, item: Any) -> None:
        if self.switch:
            self.switch(item.nodeid + _SETUP)

    def pytest_runtest_call(self, item: Any) -> None:
        if self.switch:
            self.switch(item.nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed and not self.failed:
            self.failed = f"import by {report.nodeid}"


def arranged(items: list[Any], chosen: dict[str, float]) -> list[Any]:
    """The chosen ones, what takes long last, and as few changes of file and firmware as that allows."""

    def key(item: Any) -> tuple[bool, str, str, float]:
        seconds = chosen[item.nodeid]
        return seconds > 0.1, str(item.path), _firmware(item), seconds

    return sorted([item for item in items if item.nodeid in chosen], key=key)


def _firmware(item: Any) -> str:
    callspec = getattr(item, "callspec", None)
    return str(callspec.params.get("as_firmware", "")) if callspec else ""


class _Finder:
    """Imports the mutant in its module's place."""

    def __init__(self, target: Target, code: str):
        class Loader(importlib.machinery.SourceFileLoader):
            def get_code(self, fullname: str) -> types.CodeType:
                compiled: types.CodeType = compile(code, str(target.path), "exec", dont_inherit=True)
                return compiled

        self.name = target.name
        self.loader = Loader(target.name, str(target.path))

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.loader.path, loader=self.loader)


def _pytest(target: Target, judge: Judge, *arguments: str) -> int:
    import pytest

    paths = [str(path) for path in target.tests]
    return int(pytest.main([*paths, "-q", "-p", "no:cacheprovider", "-p", "no:randomly", *arguments], plugins=[judge]))


def baseline(target: Target) -> dict[str, Any]:
    """What the sound module's tests take, which of them come by which line, and which lines run outside of tests too."""
    import coverage

    cov = coverage.Coverage(data_file=None, config_file=False, include=[str(target.path)])
    judge = Judge(None, cov.switch_context)
    cov.start()
    code = _pytest(target, judge)
    cov.stop()
    by_line = cov.get_data().contexts_by_lineno(str(target.path))
    lines = {str(line): sorted({name.removesuffix(_SETUP) for name in names if name}) for line, names in by_line.items()}
    shared = [line for line, names in by_line.items() if any(not name or name.endswith(_SETUP) for name in names)]
    return {"code": code, "failed": judge.failed, "durations": judge.durations, "lines": lines, "shared": shared}


def verdict(target: Target, code: str, chosen: dict[str, float]) -> dict[str, Any]:
    """Who noticed: {"by": a test, or "" of a survivor}."""
    sys.meta_path.insert(0, _Finder(target, code))
    judge = Judge(chosen)
    exit_code = _pytest(target, judge, "-x")
    return {"by": judge.failed or (f"pytest left with {exit_code}" if exit_code else "")}


def take_over(target: Target, code: str) -> None:
    """The mutant's functions, defaults and constants take the places of a module's, for whoever has got hold of it."""
    module = sys.modules.get(target.name)
    if module is None:  # whoever imports it then gets the mutant
        sys.meta_path.insert(0, _Finder(target, code))
        return
    sound = _executed(module, target, target.path.read_text())
    _take_over(module, sound, _executed(module, target, code), target.name)


def _executed(module: types.ModuleType, target: Target, code: str) -> types.ModuleType:
    again = types.ModuleType(target.name)
    again.__package__, again.__spec__ = module.__package__, module.__spec__
    exec(compile(code, str(target.path), "exec", dont_inherit=True), again.__dict__)
    return again


_PLAIN = (int, float, str, bytes, tuple, list, dict, set, bytearray, type(None))


def _take_over(old: Any, sound: Any, new: Any, name: str) -> None:
    """`old` is in use, `sound` is the same made anew: only what `new` has otherwise is taken, and no object of a class."""
    for word, value in list(vars(new).items()):
        mine, before = vars(old).get(word), vars(sound).get(word)
        if isinstance(value, type) and value.__module__ == name and isinstance(mine, type):
            _take_over(mine, before, value, name)
        elif isinstance(value, property) and isinstance(mine, property):
            _become(mine.fget, value.fget, name)
            _become(mine.fset, value.fset, name)
        elif hasattr(getattr(value, "__func__", value), "__code__"):
            _become(getattr(mine, "__func__", mine), getattr(value, "__func__", value), name)
        elif isinstance(value, _PLAIN) and not word.startswith("__") and repr(value) != repr(before):
            setattr(old, word, value)


def _become(old: Any, new: Any, name: str) -> None:
    if isinstance(old, types.FunctionType) and old.__module__ == name:
        old.__code__, old.__defaults__, old.__kwdefaults__ = new.__code__, new.__defaults__, new.__kwdefaults__


def quick_verdict(target: Target, code: str, session: Any, judge: Judge, chosen: dict[str, float]) -> dict[str, Any]:
    """The same by tests that are collected already, of the sound module."""
    judge.serve, judge.chosen = None, chosen
    session.items[:] = arranged(session.items, chosen)
    try:
        take_over(target, code)
    except Exception as error:
        return {"by": f"its import: {error!r}"}
    try:
        session.config.hook.pytest_runtestloop(session=session)
    except session.Failed:  # -x
        pass
    return {"by": judge.failed}


def forked(work: Callable[[], dict[str, Any]], answer: Path, seconds: float) -> int:
    """The id of a process that writes what `work` returns. It may use a core for that long, by the clock ten times that."""
    if pid := os.fork():
        return pid
    try:
        os.setsid()
        _be_quiet()
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 1))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.alarm(math.ceil(10 * seconds))
        answer.write_text(json.dumps(work()))
    finally:
        os._exit(0)


def _be_quiet() -> None:
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(quiet, stream)


def warm_up() -> None:
    """What every one of the forked processes would import anew. Nothing of lib: that may be what is mutated."""
    import coverage  # noqa: F401
    import hypothesis
    import hypothesis.strategies  # noqa: F401
    import numpy.testing  # noqa: F401
    import pytest  # noqa: F401

    sys.path[:0] = [str(ROOT / "lib"), str(ROOT / "stubs"), str(TESTS)]
    sys.path.append(str(ROOT / "scripts"))
    for name in ("image", "micropython", "ml", "omv", "ulab"):
        importlib.import_module(name)
    assert not [name for name in sys.modules if name.split(".")[0] == "n6post"]


# --- a run ---
Asked = tuple[Mutant, dict[str, float]]  # with the tests to ask, and what they take


class Run:
    """One module's mutants and what is known of them, kept in build/mutants/NAME.json."""

    def __init__(self, target: Target, kept: Path, equivalent: dict[str, str], again: bool):
        self.target = target
        self.source = target.path.read_text()
        self.mutants = mutants(self.source)
        self.equivalent = equivalent
        self.store = kept / f"{target.name}.json"
        self.store.parent.mkdir(parents=True, exist_ok=True)
        self.baseline: dict[str, Any] = {}
        self.by: dict[str, str] = {}
        source = hashlib.sha256(self.source.encode()).hexdigest()
        tests = hashlib.sha256(b"".join(path.read_bytes() for path in target.tests)).hexdigest()
        self.of = {"source": source, "tests": tests}
        if self.store.exists() and not again:
            known = json.loads(self.store.read_text())
            if known["of"]["source"] == source:
                self.by = known["by"]
                self.baseline = known["baseline"]
                if known["of"]["tests"] != tests:
                    self.by = {key: by for key, by in self.by.items() if by}
                    self.baseline = {}

    def save(self) -> None:
        written = self.store.with_suffix(".new")  # whoever stops a run stops it anywhere
        written.write_text(json.dumps({"of": self.of, "by": self.by, "baseline": self.baseline}))
        written.replace(self.store)

    def measure(self) -> None:
        """The sound module first: its tests pass, and tell where they come by."""
        if self.baseline:
            return
        answer = self.store.with_suffix(".answer")
        answer.unlink(missing_ok=True)
        os.waitpid(forked(lambda: baseline(self.target), answer, 3600), 0)
        found = json.loads(answer.read_text()) if answer.exists() else {"code": -1, "failed": "nothing was answered"}
        answer.unlink(missing_ok=True)
        if found["code"]:
            raise SystemExit(f"{self.target.name}: its tests fail without any mutant: {found['failed'] or found['code']}")
        self.baseline = found
        self.save()

    def chosen(self, mutant: Mutant) -> dict[str, float]:
        """The tests to ask, and what they take: those that come by the place; of what an import runs, all."""
        durations: dict[str, float] = self.baseline["durations"]
        if not mutant.lines:
            return durations
        lines = self.baseline["lines"]
        return {name: durations[name] for line in mutant.lines for name in lines.get(str(line), ())}

    def ask(self, asked: Sequence[Mutant], jobs: int) -> Iterator[Mutant]:
        """Find out about mutants, several at a time; yields each as it is known."""
        slow = []
        for mutant, by in self.ask_quickly(asked, jobs):
            # Of what ran at an import or in a set-up, or was made there, something of the sound module may be left.
            if by or mutant.lines and not mutant.made and not set(self.baseline["shared"]) & set(mutant.lines):
                yield self.known(mutant, by)
            else:
                slow.append(mutant)

        def work(mutant: Mutant, chosen: dict[str, float]) -> dict[str, Any]:
            return verdict(self.target, mutant.code, chosen)

        for mutant, by in self.fork_each([(mutant, self.baseline["durations"]) for mutant in slow], work, jobs):
            yield self.known(mutant, by)

    def known(self, mutant: Mutant, by: str) -> Mutant:
        self.by[mutant.key] = by
        self.save()
        return mutant

    def ask_quickly(self, asked: Sequence[Mutant], jobs: int) -> Iterator[tuple[Mutant, str]]:
        """By the tests that come by the mutants' places, collected once."""
        reading, writing = os.pipe()
        pid = os.fork()
        if not pid:
            try:
                os.close(reading)
                _be_quiet()
                judge = Judge(None)
                order = [(mutant, self.chosen(mutant)) for mutant in asked]

                def serve(session: Any) -> None:
                    def work(mutant: Mutant, chosen: dict[str, float]) -> dict[str, Any]:
                        return quick_verdict(self.target, mutant.code, session, judge, chosen)

                    for mutant, by in self.fork_each(order, work, jobs):
                        os.write(writing, f"{mutant.key} {by}\n".encode())

                judge.serve = serve
                _pytest(self.target, judge, "-x", "--capture=sys")
            finally:
                os._exit(0)
        os.close(writing)
        by_key = {mutant.key: mutant for mutant in asked}
        with os.fdopen(reading) as lines:
            for line in lines:
                key, _, by = line.rstrip("\n").partition(" ")
                yield by_key.pop(key), by
        os.waitpid(pid, 0)
        if by_key:
            raise SystemExit(f"{self.target.name}: no answer about {len(by_key)} mutants")

    def fork_each(self, asked: list[Asked], work: Callable[..., dict[str, Any]], jobs: int) -> Iterator[tuple[Mutant, str]]:
        """A process for each mutant and its tests, `jobs` at a time; yields the mutant and who noticed."""
        waiting = asked[::-1]
        running: dict[int, tuple[Mutant, Path]] = {}
        while waiting or running:
            while waiting and len(running) < jobs:
                mutant, chosen = waiting.pop()
                answer = self.store.with_name(f"{self.target.name}.{mutant.key}.answer")
                answer.unlink(missing_ok=True)
                pid = forked(functools.partial(work, mutant, chosen), answer, 3 + 4 * sum(chosen.values()))
                running[pid] = mutant, answer
            pid, _ = os.wait()
            if pid in running:
                mutant, answer = running.pop(pid)
                # No answer: it ran for too long, or out of memory.
                by = json.loads(answer.read_text())["by"] if answer.exists() else "time"
                answer.unlink(missing_ok=True)
                yield mutant, by

    def reason(self, mutant: Mutant) -> str:
        return self.equivalent.get(bare(mutant.diff), "")


def bare(diff: str) -> str:
    """A diff without what may differ between two places of the same lines: their indentation."""
    return "\n".join(line[:1] + line[1:].strip() for line in diff.splitlines() if line.strip())


def listed(path: Path) -> dict[str, str]:
    """The reasons of a file of equivalent mutants, by their diffs."""
    found: dict[str, str] = {}
    reason = ""
    diff: list[str] = []
    for line in [*(path.read_text().splitlines() if path.exists() else ()), "#"]:
        # A diff ends where something else begins: a reason, an empty line, or the next diff.
        if diff and (not line.startswith(("-", "+")) or line.startswith("-") and diff[-1].startswith("+")):
            found[bare("\n".join(diff))] = reason
            diff = []
        if line.startswith("#"):
            reason = line[1:].strip()
        elif line.strip():
            diff.append(line)
    return found


def survey(run: Run, sample: int, seed: int, jobs: int) -> tuple[int, int]:
    """Run a module's mutants, print what is to be told of them; (dead, alive) of those that can be told."""
    path = run.target.path
    place = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    asked = run.mutants
    if 0 < sample < len(asked):
        asked = sorted(random.Random(seed).sample(asked, sample))
    new = [mutant for mutant in asked if mutant.key not in run.by]
    started = time.monotonic()
    if new:
        run.measure()
        for number, _ in enumerate(run.ask(new, jobs), 1):
            if sys.stdout.isatty():
                print(f"\r{place}: {number} of {len(new)}, {time.monotonic() - started:.0f} s ", end="\r", flush=True)
    dead = [mutant for mutant in asked if run.by[mutant.key]]
    passed = [mutant for mutant in asked if not run.by[mutant.key]]
    alive = [mutant for mutant in passed if not run.reason(mutant)]
    for mutant in alive:
        print(f"{place}:{mutant.line}\n{mutant.diff}\n")
    for mutant in dead:
        if run.reason(mutant):
            print(f"{place}:{mutant.line}: said to be equivalent, yet it dies by {run.by[mutant.key]}\n{mutant.diff}\n")
    of = f" of {len(run.mutants)}" if len(asked) < len(run.mutants) else ""
    print(f"{run.target.name}: {len(asked)}{of} mutants, {len(dead)} killed, {len(passed) - len(alive)} equivalent, "
          f"{len(alive)} survive: {share(len(dead), len(alive))}", flush=True)
    return len(dead), len(alive)


def share(dead: int, alive: int) -> str:
    return f"{100 * dead / max(dead + alive, 1):.1f} % die"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="+", metavar="MODULE", help="of lib/n6post: quant, kernels.portable_maps")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="N mutants of each module instead of all")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="which ones (0)")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1), help="so many at a time")
    parser.add_argument("--least", type=float, default=95, metavar="PERCENT", help="fail below it (95)")
    parser.add_argument("--again", action="store_true", help="ask all anew, whatever build/mutants knows")
    parser.add_argument("--lib", type=Path, metavar="FOLDER", help="modules of this folder instead, by their own names")
    parser.add_argument("--tests", type=Path, nargs="+", metavar="FILE", help="these tests judge")
    parser.add_argument("--kept", type=Path, default=KEPT, metavar="FOLDER", help="where results are kept (build/mutants)")
    parser.add_argument("--equivalent", type=Path, default=EQUIVALENT, metavar="FOLDER", help="lists of equivalent mutants")
    options = parser.parse_args()
    if not hasattr(os, "fork"):
        raise SystemExit("mutants live in forked processes, which this system does not have: run it on Linux or in WSL")
    if options.lib:
        sys.path.insert(0, str(options.lib))
        targets = [Target(name, options.lib / f"{name}.py", []) for name in options.modules]
    else:
        targets = [target_of(name) for name in options.modules]
    if options.tests:
        targets = [target._replace(tests=[path.resolve() for path in options.tests]) for target in targets]
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # its threads would not come along into a fork
    warm_up()
    dead = alive = 0
    for target, module in zip(targets, options.modules):
        run = Run(target, options.kept, listed(options.equivalent / f"{module}.txt"), options.again)
        found = survey(run, options.sample, options.seed, options.jobs)
        dead, alive = dead + found[0], alive + found[1]
    if len(targets) > 1:
        print(f"together: {share(dead, alive)}")
    return 0 if dead >= options.least / 100 * (dead + alive) else 1


if __name__ == "__main__":
    sys.exit(main())
