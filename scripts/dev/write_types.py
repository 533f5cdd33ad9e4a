"""Copy the docstrings of lib into its types: `python3 scripts/dev/write_types.py [--check]`.

Editors show those of lib/n6post/__init__.pyi, in which everything but the docstrings is written by hand.
"""

import argparse
import ast
import sys
from functools import cache
from pathlib import Path

LIB = Path(__file__).resolve().parents[2] / "lib" / "n6post"
TARGET = LIB / "__init__.pyi"

# Classes with methods that live elsewhere, loaded when the first is asked for: their class and file.
LATER = {"Detection": ("Answers", "answers"), "Mask": ("Shape", "shape")}

Documented = ast.Module | ast.ClassDef | ast.FunctionDef


@cache
def parsed(module: str) -> ast.Module:
    return ast.parse((LIB / f"{module}.py").read_text())


def find(name: str, nodes: list[ast.stmt]) -> ast.ClassDef | ast.FunctionDef | None:
    """The first class or function of this name: of a property that is its getter."""
    kinds = (ast.ClassDef, ast.FunctionDef)
    return next((node for node in nodes if isinstance(node, kinds) and node.name == name), None)


def home(name: str, module: str = "__init__") -> str:
    """The module of lib that a public name lives in, or one that `module` imports."""
    for node in parsed(module).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_HOMES":
            return {k.arg: ast.literal_eval(k.value) for k in node.value.keywords}[name]
        if isinstance(node, ast.ImportFrom) and name in [alias.name for alias in node.names]:
            return str(node.module)
    return module


def method(name: str, owner: str, module: str) -> ast.FunctionDef | None:
    """A method as the class itself has it, or inherits it."""
    node = find(owner, parsed(module).body)
    if owner in LATER and not (isinstance(node, ast.ClassDef) and find(name, node.body)):
        owner, module = LATER[owner]
        node = find(owner, parsed(module).body)
    if not isinstance(node, ast.ClassDef):
        return None  # not of this library
    own = find(name, node.body)
    if isinstance(own, ast.FunctionDef):
        return own
    bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
    return next(filter(None, [method(name, base, home(base, module)) for base in bases]), None)


def documented(tree: ast.Module) -> list[tuple[Documented, str | None]]:
    """The module of types, its public classes and functions and their methods, each with the code's docstring."""
    found: list[tuple[Documented, Documented | None]] = [(tree, parsed("__init__"))]
    for node in tree.body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef) or node.name.startswith("_"):
            continue
        module = home(node.name)
        found.append((node, find(node.name, parsed(module).body)))
        if isinstance(node, ast.ClassDef):
            methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
            found += [(one, method(one.name, node.name, module)) for one in methods]
    return [(types, ast.get_docstring(code) if code else None) for types, code in found]


def literal(doc: str, indent: str) -> str:
    """A docstring as it stands in the file."""
    lines = doc.splitlines()
    if len(lines) > 1:
        lines.append(indent)
    body = "\n".join([lines[0], *[indent + line if line.strip() else line for line in lines[1:]]])
    if ast.literal_eval(f'"""{body}"""') != body:
        raise ValueError(f"a docstring that needs escapes: {lines[0]}")
    return f'"""{body}"""'


def text(before: str) -> str:
    """The types with the docstrings that the code has now."""
    source = before.encode()  # for ast counts columns in bytes
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    def where(found: tuple[Documented, str | None]) -> tuple[int, int]:
        return found[0].body[0].lineno, found[0].body[0].col_offset

    # The last first: then the places of those before it stay true.
    for node, doc in sorted(documented(ast.parse(before)), key=where, reverse=True):
        first = node.body[0]
        start = starts[first.lineno - 1] + first.col_offset
        end = starts[first.end_lineno - 1] + first.end_col_offset
        indent = "" if isinstance(node, ast.Module) else " " * (node.col_offset + 4)
        if not isinstance(first, ast.Expr):  # a class that begins with attributes or methods
            if doc is not None:
                if isinstance(first, ast.FunctionDef) and first.decorator_list:
                    start = starts[first.decorator_list[0].lineno - 1] + first.col_offset
                source = source[:start] + f"{literal(doc, indent)}\n\n{indent}".encode() + source[start:]
        elif doc is not None or ast.get_docstring(node) is not None:  # a docstring, or the ... in the place of one
            head, tail = source[:start].rstrip(), source[end:]
            body = " ..." if doc is None else f"\n{indent}{literal(doc, indent)}"
            gap = "" if tail.startswith(b"\n\n") or not tail.strip() else "\n"
            source = head + (body if head else body.lstrip()).encode() + gap.encode() + tail
    return source.decode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare")
    arguments = parser.parse_args()
    before = TARGET.read_text()
    after = text(before)
    if arguments.check:
        sys.exit(0 if after == before else f"{TARGET} has other docstrings than the code: run {__file__}")
    TARGET.write_text(after)


if __name__ == "__main__":
    main()
