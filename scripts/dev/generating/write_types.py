"""Write the generated parts of lib/n6post/__init__.pyi. generate.py runs it.

- Docstrings of the module, of classes, properties and functions: copied from lib, with columns converted to lists.
- `__init__` of each class with options: from the option lines in lib, with the types and docstrings of the class's
  attributes in `__init__.pyi`. Required parameters are written there, in front.
- `_Options`, the options of all families, for `load` and `processor_for`.
- `__all__`: the public names.

Everything else is edited in `__init__.pyi` itself.
"""

import ast
import inspect
import re
import textwrap
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import n6post
from n6post.families.processor import Processor

TARGET = Path(n6post.__file__).with_name("__init__.pyi")
WIDTH = 125

# A line "name, other   description" of a docstring, and the list item made from it.
COLUMN = re.compile(r"^( *)(\S(?:.*?\S)?) {2,}(\S.*)$")
NAMES = re.compile(r"[\w(), .\"]+$")
ITEM = re.compile(r"^- (`\w+`(?:, `\w+`)*): (.*)$")
# A value of an option, on a separate line.
VALUE = re.compile(r'(?:("\w+") {2,}|- `("\w+")`: )(\S.*)')


# --- docstrings ---


def items(lines: list[str]) -> list[tuple[str | None, str]]:
    """The paragraphs of a docstring: (names, text) of a parameter, (None, text) of prose, ("", text) of code.

    Parameters may be in columns, as in lib, or in a list, as in the types. Their values follow as lines of a list.
    """
    found: list[tuple[str | None, str]] = []
    fresh = True
    for line in lines:
        bare = line.strip()
        if not bare:
            fresh = True
            continue
        last = found[-1][0] if found else None
        indent = len(line) - len(line.lstrip())
        parameter = item(line)
        if parameter:
            found.append(parameter)
        elif last and not fresh and indent:
            value = VALUE.match(bare)
            more = f"\n  - `{value[1] or value[2]}`: {value[3]}" if value else " " + bare
            found[-1] = (last, found[-1][1] + more)
        elif last == "" and indent >= 4:
            found[-1] = ("", found[-1][1] + ("\n\n" if fresh else "\n") + line[4:])
        elif fresh and indent >= 4:
            found.append(("", line[4:]))
        elif found and not fresh and last is None:
            found[-1] = (None, found[-1][1] + " " + bare)
        else:
            found.append((None, bare))
        fresh = False
    return found


def item(line: str) -> tuple[str, str] | None:
    """(names, text) of a line that describes a parameter; None for a sentence."""
    listed = ITEM.match(line)
    if listed:
        return listed[1].replace("`", ""), listed[2]
    found = COLUMN.match(line)
    if found and not found[1] and NAMES.match(found[2]) and not found[2].endswith((".", ":")):
        return found[2], found[3]
    return None


def names_of(names: str) -> list[str]:
    return re.split(r",\s+", names)


def listed(names: list[str], text: str, width: int) -> str:
    """A parameter as an item of a list."""
    first, *values = text.split("\n  - ")
    parts = [wrapped(f"- {', '.join(f'`{name}`' for name in names)}: {first}", "", "  ", width)]
    parts += [wrapped(f"- {value}", "  ", "    ", width) for value in values]
    return "\n".join(parts)


def wrapped(text: str, first: str, rest: str, width: int) -> str:
    """Wrap a paragraph without breaking lines inside code spans."""
    spans = re.sub(r"`[^`]*`", lambda span: span[0].replace(" ", "\0"), text)
    lines = textwrap.fill(
        spans, width, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )
    return lines.replace("\0", " ")


def with_lists(doc: str, described: frozenset[str] | set[str], width: int) -> str:
    """Convert a docstring of lib for the types: columns become lists, without the names that are described elsewhere."""
    if not any(item(line) for line in doc.splitlines()):
        return doc
    parts: list[str] = []
    was_item = False
    for names, text in items(doc.splitlines()):
        if names and described.issuperset(names_of(names)):
            continue
        if names:
            part = listed(names_of(names), text, width)
        else:
            part = wrapped(text, "", "", width) if names is None else textwrap.indent(text, "    ")
        if was_item and names:
            parts[-1] += "\n" + part
        else:
            parts.append(part)
        was_item = bool(names)
    return "\n\n".join(parts)


def literal(doc: str, indent: str) -> str:
    """A docstring as source text."""
    lines = doc.splitlines()
    if len(lines) > 1:
        lines.append("")
    text = "\n".join([f'{indent}"""{lines[0]}', *[indent + line if line.strip() else "" for line in lines[1:-1]]])
    text += f'\n{indent}"""' if len(lines) > 1 else '"""'
    if ast.literal_eval(text.strip()).rstrip() != doc.replace("\n", "\n" + indent).replace(indent + "\n", "\n"):
        raise ValueError(f"a docstring that needs escapes: {lines[0]}")
    return text


def doc_in_lib(value: Any) -> str | None:
    """The docstring of a module, class, function or property; inherited ones do not count."""
    if isinstance(value, property):
        value = value.fget
    if isinstance(value, type):
        doc = vars(value).get("__doc__")
    else:
        doc = value.__doc__ if isinstance(value, FunctionType) or inspect.ismodule(value) else None
    return inspect.cleandoc(doc) if doc else None


# --- attributes and options ---


# Constructors with two types: the class with its parameter bound, and the annotation of the option that decides. Checkers
# use the first overload that matches.
OVERLOADS = {"Tracker": [("Tracker[Never]", "coast", "Literal[0]"), ("Tracker[None]", "coast", "float")]}


class Attribute(NamedTuple):
    """An attribute, property or option of a class in the types."""

    annotation: str
    doc: str


def attributes(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> dict[str, Attribute]:
    """The attributes of a class and its bases. Properties have their docstrings from lib."""
    found: dict[str, Attribute] = {}
    for base in reversed(node.bases):
        if isinstance(base, ast.Name) and base.id in classes:
            found |= attributes(classes[base.id], classes)
    for one, after in zip(node.body, [*node.body[1:], ast.Pass()]):
        if isinstance(one, ast.AnnAssign):
            doc = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else None
            if not isinstance(doc, str):
                raise ValueError(f"{node.name}.{ast.unparse(one.target)} has no docstring line")
            line = Attribute(annotated(one.annotation), inspect.cleandoc(doc))
            if line == found.get(ast.unparse(one.target)):
                raise ValueError(f"{node.name}.{ast.unparse(one.target)} repeats the line of a base class")
            found[ast.unparse(one.target)] = line
        elif isinstance(one, ast.FunctionDef) and is_property(one):
            value = inspect.getattr_static(getattr(n6post, node.name, None), one.name, None)
            found[one.name] = Attribute(annotated(one.returns), doc_in_lib(value) or ast.get_docstring(one) or "")
    return found


def annotated(node: ast.expr | None) -> str:
    return ast.unparse(node).replace("'", '"') if node else "None"


def is_property(function: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.Name) and one.id == "property" for one in function.decorator_list)


def default_of(value: Any) -> str:
    return repr(value).replace("'", '"')


def options_of(kind: Any) -> list[tuple[str, Any]]:
    """(name, default) of the options of a class in lib. The option that may be positional comes first."""
    table = getattr(kind, "_option", None)
    return sorted(table.defaults, key=lambda one: one[0] != table.first) if table else []


def families() -> list[type]:
    kinds = [getattr(n6post, name) for name in n6post.__all__]
    return [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Processor)]


def declared(kind: type) -> list[tuple[str, Any]]:
    """The options of a class that no family among its bases has."""
    inherited = {name for base in kind.__mro__[1:] if base in families() for name, _ in options_of(base)}
    return [(name, default) for name, default in options_of(kind) if name not in inherited]


def paragraph(doc: str) -> str:
    return " ".join(doc.split())


# --- generated code ---


def constructor(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> str:
    """`__init__` of a class with options."""
    kind = getattr(n6post, node.name)
    described = attributes(node, classes)
    old = method(node, "__init__")
    required = old.args.args[1 : len(old.args.args) - len(old.args.defaults)] if old else []
    options = [(name, default) for name, default in options_of(kind) if name not in [one.arg for one in required]]
    # Arguments by name that are no options, such as the zones of Events. The docstring of the class describes them.
    others = zip(old.args.kwonlyargs, old.args.kw_defaults) if old else ()
    others = [(arg, default) for arg, default in others if arg.arg not in [name for name, _ in options]]
    first = (doc_in_lib(kind) or "").splitlines()[0]
    names = [one.arg for one in required] + [name for name, _ in options]
    if missing := [name for name in names if name not in described]:
        raise ValueError(f"{node.name} has no line for its option {missing[0]}")
    doc = first + "\n\n" + "\n".join(listed([name], paragraph(described[name].doc), WIDTH - 8) for name in names)
    forms = []
    for bound, decisive, annotation in OVERLOADS.get(node.name, [("", "", "")]):
        given = ["self: " + bound if bound else "self"]
        given += [f"{one.arg}: {annotated(one.annotation)}" for one in required]
        if others:
            given.append("*")
        for arg, default in others:
            given.append(f"{arg.arg}: {annotated(arg.annotation)} = {ast.unparse(default) if default else '...'}")
        for name, default in options:
            if name != kind._option.first and "*" not in given:
                given.append("*")
            kind_of = annotation if name == decisive else described[name].annotation
            given.append(f"{name}: {kind_of} = {default_of(default)}")
        if old and old.args.kwarg:
            given.append(f"**{old.args.kwarg.arg}: {annotated(old.args.kwarg.annotation)}")
        lines = ["    @overload"] if bound else []
        lines += ["    def __init__(", *[f"        {one}," for one in given], "    ) -> None:", literal(doc, " " * 8), ""]
        forms.append("\n".join(lines))
    return "\n".join(forms)


def typed_dict(classes: dict[str, ast.ClassDef]) -> str:
    """The TypedDict of all families' options."""
    found: dict[str, list[tuple[type, Any, Attribute]]] = {}
    for kind in families():
        described = attributes(classes[kind.__name__], classes)
        for name, default in declared(kind):
            found.setdefault(name, []).append((kind, default, described[name]))
    lines = ["class _Options(TypedDict, total=False):"]
    for name, uses in found.items():
        lines.append(f"    {name}: {union([one.annotation for _, _, one in uses])}")
        calls: dict[str, list[str]] = {}  # by their text: many families have the same
        for kind, default, one in uses:
            calls.setdefault(paragraph(one.doc), []).append(f"`{kind.__name__}({name}={default_of(default)})`")
        width = WIDTH - 4 - 6  # without the indentation and the quotes
        texts = [wrapped(f"{', '.join(several)}: {text}", "", "", width) for text, several in calls.items()]
        lines.append(literal("\n\n".join(texts), "    "))
    return "\n".join(lines) + "\n"


def union(annotations: list[str]) -> str:
    """Merge annotations: each member once, the values of all Literals together, None last."""
    words: list[str] = []
    members: list[str] = []
    for annotation in annotations:
        for member in parts_of(ast.parse(annotation, mode="eval").body):
            if isinstance(member, ast.Subscript) and ast.unparse(member.value) == "Literal":
                values = member.slice.elts if isinstance(member.slice, ast.Tuple) else [member.slice]
                words += [annotated(value) for value in values if annotated(value) not in words]
            elif annotated(member) not in members:
                members.append(annotated(member))
    members = ([f"Literal[{', '.join(words)}]"] if words else []) + members
    return " | ".join(sorted(members, key=lambda member: member == "None"))


def parts_of(node: ast.expr) -> list[ast.expr]:
    return [*parts_of(node.left), *parts_of(node.right)] if isinstance(node, ast.BinOp) else [node]


def options_by_family() -> str:
    """The paragraph of `load` and `processor_for` that shows all options with their defaults."""
    lines = ["Options:", ""]
    for kind in families():
        base = next((f"those of {one.__name__}" for one in kind.__mro__[1:] if one in families()), "")
        calls = ", ".join(f"`{name}={default_of(default)}`" for name, default in declared(kind))
        options = ", and ".join(filter(None, (base, calls)))
        lines.append(wrapped(f"- `{kind.__name__}`: {options}", "", "  ", WIDTH - 4))
    return "\n".join(lines)


def method(node: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    return next((one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == name), None)


# --- the file ---


def text(source: str) -> str:
    """The up-to-date types, made from the current file."""
    return with_docstrings(with_constructors(source))


def classes_of(tree: ast.Module) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def with_constructors(source: str) -> str:
    """The types with the current constructors, `_Options` and `__all__`."""
    tree = ast.parse(source)
    classes = classes_of(tree)
    edits: list[tuple[int, int, str]] = []  # (first line, line after the last, new text)
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names = "".join(f'    "{name}",\n' for name in n6post.__all__)
            edits.append((node.lineno, end(node), f"__all__ = [\n{names}]\n"))
        elif isinstance(node, ast.ClassDef) and node.name == "_Options":
            edits.append((node.lineno, end(node), typed_dict(classes)))
        elif isinstance(node, ast.ClassDef) and node.name in n6post.__all__ and options_of(getattr(n6post, node.name)):
            old = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
            at = old[0] if old else next(one for one in node.body if isinstance(one, ast.FunctionDef))
            behind = end(old[-1]) if old else start(at)
            edits.append((start(at), behind, constructor(node, classes) + gap(source, behind)))
    return edited(source, edits)


def with_docstrings(source: str) -> str:
    """The types with the current docstrings."""
    tree = ast.parse(source)
    edits: list[tuple[int, int, str]] = []
    edits += documented(tree, doc_in_lib(n6post), source)
    for node in tree.body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef) or node.name not in n6post.__all__:
            continue
        value = getattr(n6post, node.name)
        doc = doc_in_lib(value)
        if isinstance(node, ast.FunctionDef):
            edits += documented(node, doc, source, more=options_by_family() if node.args.kwarg else "")
            continue
        lines = {ast.unparse(one.target) for one in node.body if isinstance(one, ast.AnnAssign)}
        described = lines | {one.name for one in node.body if isinstance(one, ast.FunctionDef) and is_property(one)}
        init = method(node, "__init__")
        taken = {one.arg for one in init.args.args} - lines if init else set()
        edits += documented(node, doc, source, described - taken)
        for one in node.body:
            if isinstance(one, ast.FunctionDef) and (one.name != "__init__" or not options_of(value)):
                doc = doc_in_lib(inspect.getattr_static(value, one.name, None))
                edits += documented(one, doc or ast.get_docstring(one), source)
    return edited(source, edits)


Documented = ast.Module | ast.ClassDef | ast.FunctionDef


def documented(
    node: Documented, doc: str | None, source: str, described: frozenset[str] | set[str] = frozenset(), more: str = ""
) -> list[tuple[int, int, str]]:
    """The edit that sets the docstring of a module, class or function. `more` is appended as its last paragraphs."""
    if doc is None:
        return []
    indent = "" if isinstance(node, ast.Module) else " " * (node.col_offset + 4)
    made = literal(with_lists(doc, described, WIDTH - len(indent)) + (more and "\n\n" + more), indent) + "\n"
    first = node.body[0]
    has_one = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    if has_one:
        return [(first.lineno, end(first), made)]
    if isinstance(node, ast.FunctionDef):  # the ... in place of a docstring, on the line of the signature
        signature = source.splitlines()[first.lineno - 1][: first.col_offset].rstrip()
        return [(first.lineno, end(first), f"{signature}\n{made}{gap(source, end(first))}")]
    raise ValueError(f"{getattr(node, 'name', 'the module')} has no docstring to replace")


def start(node: ast.stmt) -> int:
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef | ast.ClassDef) else []
    return min([node.lineno, *[one.lineno for one in decorators]])


def end(node: ast.stmt) -> int:
    """The line after a statement."""
    return (node.end_lineno or node.lineno) + 1


def gap(source: str, behind: int) -> str:
    """An empty line, unless the line `behind` is empty or the last."""
    lines = source.splitlines()
    return "\n" if behind <= len(lines) and lines[behind - 1].strip() else ""


def edited(source: str, edits: list[tuple[int, int, str]]) -> str:
    lines = source.splitlines(keepends=True)
    for first, behind, made in sorted(edits, reverse=True):  # in reverse order, so that earlier lines keep their numbers
        lines[first - 1 : behind - 1] = [made]
    return "".join(lines)
