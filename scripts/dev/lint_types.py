"""Infer the types of expressions in a camera's code: whether it is an array of ulab, its dimensions and its dtype.

lint_camera.py uses it. A name has the type of its last assignment. A parameter is an array if its function treats it as
one. The return types of the file's functions are known in the second pass. All other types are UNKNOWN.
"""

import ast
import re
from pathlib import Path
from typing import NamedTuple

RANGES = {"uint8": (0, 255), "int8": (-128, 127), "uint16": (0, 65535), "int16": (-32768, 32767), "bool": (0, 1)}
INTEGERS = {"uint8", "int8", "uint16", "int16", "int"}
REDUCTIONS = {"max", "min", "sum", "mean", "std", "median", "argmax", "argmin", "all", "any"}
ELEMENTWISE = set(
    "acos acosh arctan2 around asin asinh atan atanh ceil cos cosh degrees exp expm1 floor log log10 log2 radians sin"
    " sinc sinh sqrt tan tanh isfinite isinf minimum maximum clip where".split()
)
OF_ARRAYS = REDUCTIONS | ELEMENTWISE - {"where"} | {"dot", "nonzero", "flip", "roll", "sort", "argsort", "diff"}


class Kind(NamedTuple):
    """The type of an expression.

    what            "array", "int", "float", "number", "bytes", "tuple", "parameter" (anything), or "" if it is unknown
    dims, dtype     of an array; None if they are unknown
    turned          whether the array is a transpose or a slice with a step
    value           of a literal number
    shape           of an array, as far as it is known: None for an unknown side
    """

    what: str = ""
    dims: int | None = None
    dtype: str | None = None
    turned: bool = False
    value: float | None = None
    shape: tuple[int | None, ...] = ()

    @property
    def is_array(self) -> bool:
        return self.what == "array"

    @property
    def is_scalar(self) -> bool:
        return self.what in ("int", "float", "number")

    def element(self) -> "Kind":
        """The type of the items in a loop over it."""
        return self._replace(dims=self.dims - 1, shape=self.shape[1:]) if self.dims and self.dims > 1 else Kind()


UNKNOWN = Kind()


def constant(node: ast.AST) -> float | None:
    """The value of a literal number, or None."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = constant(node.operand)
        return None if value is None else -value
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return node.value
    return None


def is_const(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) in ("const", "micropython.const")


def part_of(part: ast.Slice, side: int | None) -> int | None:
    """The length of a slice with literal bounds, at most the length of the sequence."""
    low = 0 if part.lower is None else constant(part.lower)
    high = constant(part.upper) if part.upper is not None else side
    if low is None or high is None or low < 0 or high < 0:
        return side
    return int(high - low) if side is None else min(int(high - low), side)


def nesting(node: ast.AST) -> int | None:
    """Number of dimensions of nested lists."""
    if isinstance(node, (ast.List, ast.Tuple)):
        inner = {nesting(e) for e in node.elts}
        return (max(n or 0 for n in inner) if inner else 0) + 1
    return None if isinstance(node, ast.ListComp) else 0


def joined(*kinds: Kind) -> Kind:
    """The type of an elementwise operation: an array if one of the operands is."""
    arrays = [k for k in kinds if k.is_array]
    if not arrays:
        return Kind("float") if any(k.what == "float" for k in kinds) else UNKNOWN
    dims = None if any(k.dims is None for k in arrays) else max(k.dims or 0 for k in arrays)
    dtype = None
    dtypes = {k.dtype for k in arrays}
    if "float" in dtypes or any(k.what == "float" for k in kinds):
        dtype = "float"
    elif all(k.is_array or k.what == "int" for k in kinds) and None not in dtypes:
        dtype = dtypes.pop() if len(dtypes) == 1 else "int"
        dtype = "uint8" if dtype == "bool" else dtype
    shapes = {k.shape for k in arrays}
    known = [k.shape for k in arrays if k.shape and len(k.shape) == dims]
    return Kind("array", dims, dtype, False, None, known[0] if len(shapes) == 1 and known else ())


def either(*kinds: Kind) -> Kind:
    """The common type of several alternatives."""
    if len({k.what for k in kinds}) > 1:
        return Kind("number") if all(k.is_scalar for k in kinds) else UNKNOWN
    first = kinds[0]
    same = [f if all(k[i] == f for k in kinds) else d for i, (f, d) in enumerate(zip(first, UNKNOWN))]
    return Kind(*same)._replace(turned=any(k.turned for k in kinds))  # type: ignore[arg-type]


def numbers(path: Path) -> dict[str, Kind]:
    """The number constants at the top of a file of lib."""
    found = {}
    if path.is_file():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                value = node.value.args[0] if is_const(node.value) and isinstance(node.value, ast.Call) else node.value
                if (number := constant(value)) is not None:
                    found[node.targets[0].id] = Kind("int" if isinstance(number, int) else "float", value=number)
    return found


def private_consts(path: Path) -> set[str]:
    """The names of a file that the compiler replaces by their values."""
    if not path.is_file():
        return set()
    body = ast.parse(path.read_text(encoding="utf-8")).body
    names = [n.targets[0] for n in body if isinstance(n, ast.Assign) and is_const(n.value)]
    return {name.id for name in names if isinstance(name, ast.Name) and name.id.startswith("_")}


class Kinds:
    """The names of a file and their types during a pass from its top to its end."""

    def __init__(self, tree: ast.Module, returned: dict[str, Kind]) -> None:
        self.scopes: list[dict[str, Kind]] = [{}]
        self.known = returned  # the return types of the file's functions, from the previous pass
        self.returned: dict[str, Kind] = {}
        self.np: set[str] = set()  # the file's name for ulab's numpy
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module == "ulab":
                self.np |= {alias.asname or alias.name for alias in node.names if alias.name == "numpy"}

    def look_up(self, name: str) -> Kind:
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), UNKNOWN)

    def function(self, node: ast.Call) -> str:
        """The name of the called function if it belongs to ulab's numpy, else ""."""
        f = node.func
        return f.attr if isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name) and f.value.id in self.np else ""

    def kind(self, node: ast.AST | None) -> Kind:
        if isinstance(node, ast.Name):
            return self.look_up(node.id)
        if isinstance(node, ast.Constant):
            names = {int: "int", float: "float", bytes: "bytes", str: "bytes"}
            return Kind(names.get(type(node.value), ""), value=constant(node))
        if isinstance(node, ast.UnaryOp):
            of = self.kind(node.operand)
            if isinstance(node.op, ast.Not):
                return UNKNOWN
            return of._replace(value=-of.value if of.value is not None and isinstance(node.op, ast.USub) else None)
        if isinstance(node, ast.BinOp):
            return self.of_operation(self.kind(node.left), self.kind(node.right), node.op)
        if isinstance(node, ast.Compare):
            kinds = [self.kind(side) for side in (node.left, *node.comparators)]
            if any(k.is_array for k in kinds) and not isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
                return joined(*kinds)._replace(what="array", dtype="bool", turned=False)
            return UNKNOWN
        if isinstance(node, ast.IfExp):
            a, b = self.kind(node.body), self.kind(node.orelse)
            return either(a, b)
        if isinstance(node, (ast.Tuple, ast.List)):
            return Kind("tuple" if isinstance(node, ast.Tuple) else "")
        if isinstance(node, ast.NamedExpr):
            return self.kind(node.value)
        if isinstance(node, ast.Attribute):
            return self.of_attribute(node)
        if isinstance(node, ast.Subscript):
            return self.of_index(node)
        if isinstance(node, ast.Call):
            return self.of_call(node)
        return UNKNOWN

    def of_operation(self, a: Kind, b: Kind, op: ast.operator) -> Kind:
        if a.is_array or b.is_array:
            both = joined(a, b)
            return both._replace(dtype="float") if isinstance(op, (ast.Div, ast.Pow)) else both
        if a.is_scalar and b.is_scalar:
            if "float" in (a.what, b.what) or isinstance(op, ast.Div):
                return Kind("float")
            return Kind("int") if a.what == b.what == "int" else Kind("number")
        return UNKNOWN

    def of_attribute(self, node: ast.Attribute) -> Kind:
        known = self.look_up(ast.unparse(node))
        if known.what:
            return known
        of = self.kind(node.value)
        if isinstance(node.value, ast.Name) and node.value.id in self.np and node.attr in ("inf", "nan", "pi", "e"):
            return Kind("float")
        if of.is_array and node.attr == "T":
            return of._replace(turned=of.dims != 1, shape=of.shape[::-1])
        if node.attr == "size" and of.is_array:
            return Kind("int")
        return UNKNOWN

    def of_index(self, node: ast.Subscript) -> Kind:
        of = self.kind(node.value)
        if of.what == "tuple-of-arrays":
            return Kind("array", 1, "uint16")
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            return Kind("int")
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        slices = [part for part in parts if isinstance(part, ast.Slice)]
        if not of.is_array:  # two dimensions: no list
            return Kind("array", len(slices)) if len(parts) > 1 and slices and self.np else UNKNOWN
        dims = of.dims
        turned = of.turned
        shape = list(of.shape)
        left: list[int | None] = []
        for number, part in enumerate(parts):
            side = shape[number] if number < len(shape) else None
            if isinstance(part, ast.Slice):
                turned = turned or part.step is not None and constant(part.step) != 1
                left.append(side if part.lower is part.upper is part.step is None else part_of(part, side))
                continue
            index = self.kind(part)
            if index.is_array:
                left.append(None)
                turned = False
                continue
            if index.what != "int" and len(parts) == 1:
                return UNKNOWN if dims in (None, 1) else of._replace(dims=None, shape=())
            dims = None if dims is None else dims - 1
        if dims == 0:
            return Kind("number" if of.dtype is None else "float" if of.dtype == "float" else "int")
        return Kind("array", dims, of.dtype, turned, None, tuple(left + shape[len(parts) :]) if shape else ())

    def of_call(self, node: ast.Call) -> Kind:
        name = self.function(node)
        if name:
            return self.of_ulab(name, node)
        f = node.func
        if isinstance(f, ast.Attribute):
            of = self.kind(f.value)
            if f.attr == "reshape" and (of.is_array or len(node.args) == 1 and isinstance(node.args[0], ast.Tuple)):
                shape = self.shape(node.args[0]) if node.args else ()
                return of._replace(what="array", dims=len(shape) or None, shape=shape)
            if of.is_array:
                if f.attr == "copy":
                    return of._replace(turned=False)
                if f.attr == "flatten":
                    return of._replace(dims=1, turned=False, shape=())
                if f.attr == "transpose":
                    return of._replace(turned=of.dims != 1, shape=of.shape[::-1])
                if f.attr == "tobytes":
                    return Kind("bytes")
        if isinstance(f, ast.Name):
            if f.id in ("int", "len", "ord", "floor", "ceil", "round"):
                return Kind("int")
            if f.id in ("float", "sqrt", "exp"):
                return Kind("float")
            if f.id in ("bytes", "bytearray", "memoryview", "str"):
                return Kind("bytes")
            if f.id == "tuple":
                return Kind("tuple")
            if f.id == "const" and node.args:
                return self.kind(node.args[0])
            if self.look_up(f.id) == UNKNOWN:
                return self.known.get(f.id, UNKNOWN)
        elif isinstance(f, ast.Attribute) and ast.unparse(f.value) == "self":
            return self.known.get(f.attr, UNKNOWN)
        return UNKNOWN

    def shape(self, node: ast.AST) -> tuple[int | None, ...]:
        """The sides of a literal shape; () if it is unknown."""
        if isinstance(node, ast.Tuple):
            sides = [self.kind(side).value for side in node.elts]
            return tuple(None if side is None else int(side) for side in sides)
        value = self.kind(node).value
        return (int(value),) if value is not None else (None,) if self.kind(node).what == "int" else ()

    def dtype(self, node: ast.Call, default: str | None) -> str | None:
        for keyword in node.keywords:
            if keyword.arg == "dtype":
                found = re.fullmatch(rf"(?:{'|'.join(self.np)})\.(\w+)", ast.unparse(keyword.value))
                return found[1] if found else None
        return default

    def of_ulab(self, name: str, node: ast.Call) -> Kind:
        args = node.args
        first = self.kind(args[0]) if args else UNKNOWN
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        if name in ("zeros", "ones", "empty", "full"):
            shape = self.shape(args[0]) if args else ()
            return Kind("array", len(shape) or None, self.dtype(node, "float"), False, None, shape)
        if name in ("array", "asarray"):
            dims: int | None = first.dims
            if args and isinstance(args[0], (ast.List, ast.Tuple, ast.ListComp)):
                dims = nesting(args[0])
            written = (len(args[0].elts),) if args and dims == 1 and isinstance(args[0], (ast.List, ast.Tuple)) else ()
            return Kind("array", dims, self.dtype(node, "float"), False, None, first.shape or written)
        if name in ("frombuffer", "arange", "linspace", "logspace"):
            default = "float" if name != "arange" or any(self.kind(a).what == "float" for a in args) else "int16"
            return Kind("array", 1, self.dtype(node, default))
        if name == "eye":
            return Kind("array", 2, self.dtype(node, "float"))
        if name == "concatenate":
            parts = [self.kind(e) for e in args[0].elts] if args and isinstance(args[0], ast.Tuple) else []
            return either(*parts)._replace(what="array", shape=(), turned=False) if parts else Kind("array")
        if name == "nonzero":
            return Kind("tuple-of-arrays")
        if name in REDUCTIONS:
            if "axis" in keywords or len(args) > 1:
                kinds = {"argmax": "int16", "argmin": "int16", "all": "bool", "any": "bool"}
                dtype = "float" if name in ("mean", "std", "median") else kinds.get(name, first.dtype)
                if first.dims == 1:
                    return Kind("array", 1, dtype)
                return Kind("array", first.dims - 1 if first.dims else None, dtype)
            return Kind("int" if name in ("argmax", "argmin") else "float" if first.dtype == "float" else "number")
        if name == "dot":
            dims_of = [self.kind(a).dims for a in args]
            if dims_of == [1, 1]:
                return Kind("float")
            return Kind("array", 2, "float") if 2 in dims_of else UNKNOWN
        if name == "take":
            return Kind("array", first.dims if "axis" in keywords else 1, first.dtype)
        if name == "where":
            of = joined(*[self.kind(a) for a in args[1:]])
            shape_of = joined(*[self.kind(a) for a in args])
            return shape_of._replace(what="array", dtype="float" if of.what == "float" else of.dtype, turned=False)
        if name in ("isfinite", "isinf"):
            return first._replace(dtype="bool", turned=False)
        if name in ELEMENTWISE:
            kinds_of = [self.kind(a) for a in args]
            both = joined(*kinds_of)
            keeps = name in ("minimum", "maximum", "clip")
            if not any(k.is_array for k in kinds_of) and all(k.is_scalar for k in kinds_of):
                return Kind("float")
            return both._replace(what="array", dtype=both.dtype if keeps else "float", turned=False)
        if name in ("sort", "flip", "roll"):
            return first._replace(what="array", turned=False)
        return UNKNOWN

    def bind(self, target: ast.AST, value: ast.AST | None, kind: Kind | None = None) -> None:
        found = self.kind(value) if kind is None else kind
        if isinstance(target, (ast.Tuple, ast.List)):
            same = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
            values = value.elts if isinstance(value, (ast.Tuple, ast.List)) and same else None
            inner = found.element()
            if isinstance(value, ast.ListComp):
                inner = self.kind(value.elt)._replace(value=None)
            elif isinstance(value, ast.Attribute) and value.attr == "shape":
                inner = Kind("int")
            for number, part in enumerate(target.elts):
                if values:
                    self.bind(part, values[number])
                else:
                    self.bind(part, None, inner)
        elif isinstance(target, ast.Name):
            self.scopes[-1][target.id] = found
        elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
            # All methods of the class share an attribute. With two different types it is unknown.
            scope = next((s for s in reversed(self.scopes) if "class" in s), self.scopes[-1])
            before = scope.get(ast.unparse(target))
            scope[ast.unparse(target)] = (found if before is None else either(before, found))._replace(value=None)

    def bind_element(self, target: ast.AST, source: ast.AST) -> None:
        counts = isinstance(source, ast.Call) and ast.unparse(source.func) == "range"
        self.bind(target, None, Kind("int") if counts else self.kind(source).element())

    def parameters(self, function: ast.FunctionDef) -> dict[str, Kind]:
        """The parameters that the function treats as arrays."""
        names = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
        found: dict[str, Kind] = {}
        for node in ast.walk(function):
            subject: ast.AST | None = None
            dims = None
            if isinstance(node, ast.Attribute) and node.attr in ("reshape", "tobytes", "flatten", "transpose", "tolist"):
                subject = node.value
            elif isinstance(node, ast.Call) and self.function(node) in OF_ARRAYS | {"take"} and node.args:
                subject = node.args[0]
            elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
                if any(isinstance(part, ast.Slice) for part in node.slice.elts):
                    subject, dims = node.value, len(node.slice.elts)
            if isinstance(subject, ast.Name) and subject.id in names and self.np:
                before = found.get(subject.id, Kind("array"))
                found[subject.id] = before._replace(dims=before.dims or dims)
        return found
