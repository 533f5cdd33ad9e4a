"""What a camera script uses that only CPython has. `n6post host` prints it before the script runs.

MicroPython refuses some of Python's syntax, and its modules and types have fewer names. A script that uses such a thing runs
on a PC, and fails on the camera, perhaps only after hours. The tables come from MicroPython itself: from dir() of its
modules and types, and from statements that it refuses, in versions 1.26 and 1.28 (firmware 4.8.1 and 5.0.0).
host_tests/pc/test_camera_python.py asks it again. scripts/dev/lint_camera.py, which looks closer, shares them.
"""

from __future__ import annotations

import ast
import builtins
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from . import firmware_modules

# Methods that no type of MicroPython has. Words that others use for methods of their own are left out of METHODS.
ABSENT_METHODS = set(
    "removeprefix removesuffix zfill ljust rjust title swapcase casefold expandtabs isalnum isdecimal isnumeric"
    " isidentifier isprintable isascii istitle maketrans translate format_map bit_length bit_count as_integer_ratio"
    " is_integer capitalize".split()
)
_METHOD_TEXT = {
    "removeprefix": "text[len(prefix):] after text.startswith(prefix)",
    "removesuffix": "text[:-len(suffix)] after text.endswith(suffix)",
    "zfill": '"%05d" % number',
    "ljust": '"%-10s" % text',
    "rjust": '"%10s" % text',
    "format_map": "text.format(**values)",
}
NAMEDTUPLE_METHODS = {"_replace", "_asdict", "_make", "_fields", "_field_defaults"}

ABSENT_BUILTINS = {"ascii", "breakpoint", "format", "vars", "aiter", "anext"}
# CPython's builtins that MicroPython has. Exceptions below OSError are among those that it lacks.
_BUILTINS = set(
    "ArithmeticError AssertionError AttributeError BaseException EOFError Ellipsis Exception GeneratorExit ImportError"
    " IndentationError IndexError KeyError KeyboardInterrupt LookupError MemoryError NameError NotImplemented"
    " NotImplementedError OSError OverflowError RuntimeError StopAsyncIteration StopIteration SyntaxError SystemExit"
    " TypeError UnicodeError ValueError ZeroDivisionError abs all any bin bool bytearray bytes callable chr classmethod"
    " compile complex delattr dict dir divmod enumerate eval exec filter float frozenset getattr globals hasattr hash help"
    " hex id input int isinstance issubclass iter len list locals map max memoryview min next object oct open ord pow print"
    " property range repr reversed round set setattr slice sorted staticmethod str sum super tuple type zip True False None"
    " exit quit".split()
)

# (name of the function or method, keyword that it does not have)
ABSENT_KEYWORDS = {
    ("split", "maxsplit"), ("rsplit", "maxsplit"), ("to_bytes", "signed"), ("sum", "start"), ("zip", "strict"),
    ("print", "flush"), ("open", "newline"), ("open", "errors"), ("dumps", "indent"), ("dumps", "sort_keys"),
    ("dumps", "ensure_ascii"), ("deque", "maxlen"), ("namedtuple", "defaults"), ("int", "base"), ("encode", "encoding"),
}  # fmt: skip

# The names of MicroPython's modules, as far as CPython or the stand-ins have them. Other modules are not checked.
NAMES = {
    "asyncio": "CancelledError Event Lock StreamReader StreamWriter Task TimeoutError create_task current_task gather"
    " get_event_loop new_event_loop open_connection run sleep start_server wait_for sleep_ms wait_for_ms ThreadSafeFlag"
    " Loop",
    "binascii": "a2b_base64 b2a_base64 crc32 hexlify unhexlify",
    "collections": "OrderedDict defaultdict deque namedtuple",
    "gc": "collect disable enable isenabled mem_alloc mem_free threshold",
    "hashlib": "md5 sha1 sha256",
    "heapq": "heapify heappop heappush",
    "io": "BytesIO IOBase StringIO open",
    "json": "dump dumps load loads",
    "math": "acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh degrees e erf erfc exp expm1 fabs factorial floor"
    " fmod frexp gamma inf isclose isfinite isinf isnan ldexp lgamma log log10 log2 modf nan pi pow radians sin sinh sqrt"
    " tan tanh tau trunc",
    "os": "VfsFat VfsLfs2 chdir dupterm getcwd ilistdir listdir mkdir mount remove rename rmdir sep stat statvfs sync umount"
    " uname unlink urandom",
    "platform": "libc_ver platform python_compiler",
    "random": "choice getrandbits randint random randrange seed uniform",
    "re": "compile match search sub",
    "select": "POLLERR POLLHUP POLLIN POLLOUT poll select",
    "struct": "calcsize pack pack_into unpack unpack_from",
    "sys": "argv byteorder exit implementation maxsize modules path platform print_exception ps1 ps2 stderr stdin stdout"
    " version version_info",
    "time": "clock gmtime localtime mktime sleep sleep_ms sleep_us strftime ticks_add ticks_cpu ticks_diff ticks_ms ticks_us"
    " time time_ns",
}
_NAME_TEXT = {
    "os.path": '"/".join(parts), and os.stat(path) in try to see whether a file exists',
    "os.environ": "a constant at the top of the script",
    "os.getenv": "a constant at the top of the script",
    "os.makedirs": "os.mkdir for each folder",
    "os.walk": "os.ilistdir",
    "time.perf_counter": "time.ticks_us() and time.ticks_diff",
    "time.perf_counter_ns": "time.ticks_us() and time.ticks_diff",
    "time.monotonic": "time.ticks_ms() and time.ticks_diff",
    "time.monotonic_ns": "time.ticks_us() and time.ticks_diff",
    "time.process_time": "time.ticks_us() and time.ticks_diff",
    "math.hypot": "math.sqrt(x * x + y * y)",
    "math.dist": "math.sqrt(dx * dx + dy * dy)",
    "math.prod": "a loop",
    "json.JSONDecodeError": "ValueError",
    "collections.Counter": "a dict: counts[x] = counts.get(x, 0) + 1",
    "random.shuffle": "a loop that swaps elements",
    "random.sample": "random.choice",
    "random.gauss": "a sum of random.random()",
    "re.findall": "re.search in a loop",
    "struct.error": "ValueError",
    "asyncio.Queue": "a list and an asyncio.Event",
    "asyncio.to_thread": "a step at a time, with await asyncio.sleep_ms(0) between them",
}


class Finding(NamedTuple):
    file: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


def findings(script: Path, folders: tuple[Path, ...] = ()) -> list[Finding]:
    """What a script and its own modules use that a camera lacks, in the order of files and lines.

    Its own modules are those beside the script and in `folders`. A file that CPython refuses has no findings.
    """
    places = (script.parent, *folders)
    found: list[Finding] = []
    known = firmware_modules.known()
    waiting, seen = [script], {script.resolve()}
    while waiting:
        file = waiting.pop(0)
        try:
            source = file.read_text(encoding="utf-8")
            tree = ast.parse(source)
        except (OSError, SyntaxError, ValueError):
            continue
        checker = _Checker(file, source, tree, known, places)
        found += sorted(dict.fromkeys(checker.found), key=lambda one: one.line)
        for module in checker.own:
            if module.resolve() not in seen:
                seen.add(module.resolve())
                waiting.append(module)
    return found


def _own(name: str, places: tuple[Path, ...]) -> Path | None:
    """The file of a module of the script's own."""
    for place in places:
        for folder in (place, place / "lib"):
            base = folder.joinpath(*name.split("."))
            for file in (base.with_suffix(".py"), base / "__init__.py"):
                if file.is_file():
                    return file
    return None


class _Checker(ast.NodeVisitor):
    def __init__(self, file: Path, source: str, tree: ast.Module, known: set[str], places: tuple[Path, ...]) -> None:
        self.file, self.lines, self.known, self.places = file, source.splitlines(), known, places
        self.found: list[Finding] = []
        self.own: list[Path] = []
        self.modules: dict[str, str] = {}  # name in the script: module
        self.guarded = 0  # nesting of `try` with an ImportError, and of `if TYPE_CHECKING`
        # Names that the script itself binds, anywhere.
        self.bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        self.attributes: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self.bound.add(node.name)
                self.attributes.add(node.name)
            elif isinstance(node, ast.arg):
                self.bound.add(node.arg)
            elif isinstance(node, ast.alias):
                self.bound.add((node.asname or node.name).split(".")[0])
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                self.attributes.add(node.attr)
        self.visit(tree)

    def add(self, node: ast.AST, what: str, instead: str = "", lacks: str = "MicroPython has no") -> None:
        line = getattr(node, "lineno", 1)
        text = f"{lacks} {what}".strip()
        self.found.append(Finding(self.file, line, f"{text}; instead: {instead}" if instead else text))

    # ---- modules ----

    def check_module(self, node: ast.stmt, name: str) -> None:
        top = name.split(".")[0]
        own = _own(name, self.places) or _own(top, self.places)
        if own is not None:
            self.own.append(own)
        elif top not in self.known and not self.guarded:
            self.add(node, f"module {name}", firmware_modules.INSTEAD.get(top, ""), "the camera has no")

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.name.startswith("os.path"):
                self.add(node, "os.path", _NAME_TEXT["os.path"])
            else:
                self.check_module(node, alias.name)
            self.modules[alias.asname or alias.name.split(".")[0]] = alias.name if alias.asname else alias.name.split(".")[0]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.level:
            return
        module = str(node.module)
        if module == "os.path":
            self.add(node, "os.path", _NAME_TEXT["os.path"])
            return
        self.check_module(node, module)
        for alias in node.names:
            self.check_name(node, module, alias.name)

    def check_name(self, node: ast.AST, module: str, name: str) -> None:
        plain = module[1:] if module[1:] in NAMES and module[0] == "u" else module
        if plain not in NAMES or self.guarded or _own(module, self.places):
            return
        if name not in NAMES[plain].split() and name in dir(importlib.import_module(plain)) and not name.startswith("__"):
            self.add(node, f"{plain}.{name}", _NAME_TEXT.get(f"{plain}.{name}", ""))

    def visit_If(self, node: ast.If) -> None:
        typing = "TYPE_CHECKING" in ast.unparse(node.test) or "sys.implementation" in ast.unparse(node.test)
        self.guarded += typing
        self.generic_visit(node)
        self.guarded -= typing

    def visit_Try(self, node: ast.Try) -> None:
        caught = " ".join(ast.unparse(one.type) if one.type else "Exception" for one in node.handlers)
        imports = "ImportError" in caught or "Exception" in caught.split()
        self.guarded += imports
        for child in node.body:
            self.visit(child)
        for handler in node.handlers:
            self.visit(handler)
        self.guarded -= imports
        for child in [*node.orelse, *node.finalbody]:
            self.visit(child)

    def visit_TryStar(self, node: ast.AST) -> None:
        self.add(node, "except*", "except")
        self.generic_visit(node)

    # ---- names ----

    def visit_Name(self, node: ast.Name) -> None:
        absent = node.id in dir(builtins) and node.id not in _BUILTINS and not node.id.startswith("_")
        if not isinstance(node.ctx, ast.Load) or not absent or node.id in self.bound:
            return
        kind = getattr(builtins, node.id)
        instead = ""
        if isinstance(kind, type) and issubclass(kind, BaseException):
            instead = next((base.__name__ for base in kind.__mro__[1:] if base.__name__ in _BUILTINS), "Exception")
            instead = "OSError" if kind is OSError else instead
        self.add(node, node.id, instead)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name) and node.value.id in self.modules:
            self.check_name(node, self.modules[node.value.id], node.attr)
        elif node.attr in NAMEDTUPLE_METHODS and node.attr not in self.attributes:
            self.add(node, f"{node.attr} of namedtuples")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        f = node.func
        name = f.attr if isinstance(f, ast.Attribute) else f.id if isinstance(f, ast.Name) else ""
        of_module = isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name) and f.value.id in self.modules
        if isinstance(f, ast.Attribute) and not of_module and name in ABSENT_METHODS and name not in self.attributes:
            self.add(node, f"method {name}", _METHOD_TEXT.get(name, ""))
        for keyword in node.keywords:
            if (name, str(keyword.arg)) in ABSENT_KEYWORDS and name not in self.attributes:
                self.add(node, f"{keyword.arg}= in {name}()")
        if name == "slice" and isinstance(f, ast.Name) and name not in self.bound:
            self.add(node, "slice()", "a[start:stop]")
        if name == "isinstance" and isinstance(f, ast.Name) and len(node.args) == 2 and isinstance(node.args[1], ast.BinOp):
            self.add(node, "isinstance(x, A | B)", "isinstance(x, (A, B))")
        keyword_at = min([(k.value.lineno, k.value.col_offset) for k in node.keywords if k.arg], default=None)
        for argument in node.args:
            if isinstance(argument, ast.Starred) and keyword_at and (argument.lineno, argument.col_offset) > keyword_at:
                self.add(node, "*arguments after a keyword", "the *arguments first")
        self.generic_visit(node)

    # ---- syntax ----

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        if node.args.posonlyargs:
            self.add(node, "/ among parameters")
        self.type_parameters(node)
        if not isinstance(node, ast.Lambda):
            self.decorators(node)
        for child in _without_annotations(node):
            self.visit(child)

    visit_AsyncFunctionDef = visit_Lambda = visit_FunctionDef  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for keyword in node.keywords:
            self.add(node, f"{keyword.arg}= of a class")
        self.type_parameters(node)
        self.decorators(node)
        for child in [*node.bases, *node.body]:
            self.visit(child)

    def decorators(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        for one in node.decorator_list:
            plain = one.func if isinstance(one, ast.Call) else one
            while isinstance(plain, ast.Attribute):
                plain = plain.value
            if not isinstance(plain, ast.Name):
                self.add(one, f"decorator @{ast.unparse(one)}", "a name of its own for it")
            self.visit(one)

    def type_parameters(self, node: ast.AST) -> None:
        if getattr(node, "type_params", None):
            self.add(node, "type parameters [T]")

    def visit_TypeAlias(self, node: ast.AST) -> None:
        self.add(node, "type statement")

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Match(self, node: ast.AST) -> None:
        self.add(node, "match statement", "if and elif")
        self.generic_visit(node)

    def visit_List(self, node: ast.List | ast.Tuple | ast.Set) -> None:
        if any(isinstance(one, ast.Starred) for one in node.elts) and not isinstance(getattr(node, "ctx", None), ast.Store):
            self.add(node, "* inside of [...], (...) or {...}", "list(a) + list(b)")
        self.generic_visit(node)

    visit_Tuple = visit_Set = visit_List  # noqa: N815

    def visit_Dict(self, node: ast.Dict) -> None:
        if None in node.keys:
            self.add(node, "** inside of {...}", "d = dict(a), then d.update(b)")
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        if node.is_async:
            self.add(node.target, "async for in a comprehension", "a loop")
        self.generic_visit(node)

    def visit_With(self, node: ast.With) -> None:
        first = node.items[0].context_expr
        between = self.lines[node.lineno - 1][node.col_offset :]
        if first.lineno == node.lineno:
            between = self.lines[node.lineno - 1][node.col_offset : first.col_offset]
        if "(" in between and any(item.optional_vars for item in node.items):
            self.add(node, "with (...) in parentheses", "one line without them")
        self.generic_visit(node)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> None:
        if node.conversion == ord("a"):
            self.add(node, "!a in f-strings", "!r")
        self.generic_visit(node)


def _without_annotations(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Iterator[ast.AST]:
    """What runs of a function: defaults and body. MicroPython ignores annotations."""
    yield from node.args.defaults
    yield from [one for one in node.args.kw_defaults if one is not None]
    yield from [node.body] if isinstance(node, ast.Lambda) else node.body
