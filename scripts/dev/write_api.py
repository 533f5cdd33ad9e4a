"""Write docs/api.md, every public name with its options: `python3 scripts/dev/write_api.py [--check]`.

Names, order, types and defaults are those of lib/n6post/__init__.pyi, the words its docstrings, which write_types.py copies
out of the code: run that first. Docstrings are columns, "name   what it is"; here they become lists, with the defaults.
"""

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TYPES = ROOT / "lib" / "n6post" / "__init__.pyi"
TARGET = ROOT / "docs" / "api.md"

HEAD = """\
# Every public name

`import n6post`, then any of these; each is loaded when it is first used. An editor shows the same text where the mouse rests
([how](../README.md#in-an-editor)). Coordinates are pixels of the frame, a rect is (x, y, w, h), and every mistake is a
ValueError that says what was expected and what came. Options of post-processors, trackers and zones may be assigned between
frames (`process.threshold = 0.6`), and are checked then too.

*Written by `scripts/dev/write_api.py` from the docstrings: change it there.*
"""

SECTION = re.compile(r"# ---- (.+) ----")
COLUMN = re.compile(r"^( *)(\S(?:.*?\S)?) {2,}(\S.*)$")
VALUE = re.compile(r'("\w+") {2,}(\S.*)')  # of an option, on a line of its own
NAMES = re.compile(r"[\w(), .\"]+$")

# What the stub writes for type checkers, as whoever reads calls it: in this order.
SPELLED = (
    (r"\[_M, _K\]", ""), (r"list\[_Track\]", "list"), (r"\b_Box\b", "(x, y, w, h)"), (r"\bndarray\b", "array"),
    (r"tuple\[((?:[^\[\]]|\[[^\[\]]*\])*)\]", r"(\1)"),
)  # fmt: skip

Definition = ast.ClassDef | ast.FunctionDef


def sections(source: str, tree: ast.Module) -> dict[str, list[Definition]]:
    """The public classes and functions under the headings that the types have."""
    headings = [(n, found[1]) for n, line in enumerate(source.splitlines(), 1) if (found := SECTION.fullmatch(line))]
    filled: dict[str, list[Definition]] = {title: [] for _, title in headings}
    for node in tree.body:
        if isinstance(node, Definition) and not node.name.startswith("_"):
            filled[[title for line, title in headings if line < node.lineno][-1]].append(node)
    return filled


def classes(tree: ast.Module) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def anchor(title: str) -> str:
    """What a heading of Markdown is linked by: its letters and digits, with a hyphen for a space."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


# --- signatures ---


def parameters(function: ast.FunctionDef) -> Iterator[tuple[str, str | None]]:
    """(name, default) of each: None where there is none, "" where it is another's affair (`...`)."""
    positional = function.args.args
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(function.args.defaults))
    pairs = [*zip(positional, defaults + function.args.defaults), *zip(function.args.kwonlyargs, function.args.kw_defaults)]
    for argument, default in pairs:
        if argument.arg != "self":
            text = None if default is None else "" if ast.unparse(default) == "..." else ast.unparse(default)
            yield argument.arg, text.replace("'", '"') if text else text


def signature(name: str, function: ast.FunctionDef) -> str:
    """`name(a, b=0.5, ...)`: on one line where that fits, else an option a line."""
    given = [p if default is None else f"{p}={default}" for p, default in parameters(function) if default != ""]
    if any(default == "" for _, default in parameters(function)):
        given.append("**fields" if name == "replace" else "**options")
    line = f"{name}({', '.join(given)})"
    if len(line) <= 100:
        return line
    rows, row = [], "    "
    for part in given:
        if len(row) + len(part) > 100:
            rows.append(row.rstrip())
            row = "    "
        row += part + ", "
    return "\n".join([f"{name}(", *rows, row.rstrip(), ")"])


def returned(function: ast.FunctionDef) -> str:
    """What a method gives, with an arrow before it; "" where that is nothing."""
    text = ast.unparse(function.returns) if function.returns else "None"
    for pattern, spelled in SPELLED:
        text = re.sub(pattern, spelled, text)
    return "" if text == "None" else f" -> {text}"


def constructor(node: ast.ClassDef, known: dict[str, ast.ClassDef]) -> ast.FunctionDef | None:
    own = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
    if own:
        return own[0]
    bases = [known[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in known]
    return next(filter(None, [constructor(base, known) for base in bases]), None)


def is_property(function: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.Name) and one.id == "property" for one in function.decorator_list)


# --- docstrings ---


def plain(text: str) -> str:
    """A line of a docstring as Markdown: angle brackets and stars that are none of its own stay what they are."""
    parts = re.split(r"(`[^`]*`|\*\*[^*]+\*\*)", text)
    return "".join(part if n % 2 else re.sub(r"([*<\[\]])", r"\\\1", part) for n, part in enumerate(parts))


def column(line: str) -> tuple[str, str] | None:
    """(names, text) of a line "name, other   what it is"; None of a sentence."""
    found = COLUMN.match(line)
    if found and not found[1] and NAMES.match(found[2]) and not found[2].endswith((".", ":")):
        return found[2], found[3]
    return None


def items(lines: list[str]) -> list[tuple[str | None, str]]:
    """The paragraphs of a docstring: (names, text) of an option, (None, text) of prose, ("", text) of code."""
    found: list[tuple[str | None, str]] = []
    fresh = True
    for line in lines:
        bare = line.strip()
        if not bare:
            fresh = True
            continue
        options = column(line)
        indent = len(line) - len(line.lstrip())
        if options:
            found.append(options)
        elif fresh and indent >= 4 and found and found[-1][0] == "":
            found[-1] = ("", found[-1][1] + "\n\n" + line[4:])
        elif fresh and indent >= 4:
            found.append(("", line[4:]))
        elif found and found[-1][0] == "" and indent >= 4:
            found[-1] = ("", found[-1][1] + "\n" + line[4:])
        elif found and not fresh and (indent >= 4) == (found[-1][0] is not None):
            value = VALUE.match(bare) if found[-1][0] else None
            more = f"\n  - `{value[1]}`: {value[2]}" if value else " " + bare
            found[-1] = (found[-1][0], found[-1][1] + more)
        else:
            found.append((None, bare))
        fresh = False
    return found


def markdown(doc: str, defaults: dict[str, str | None]) -> str:
    """A docstring as Markdown, options as a list with their defaults."""
    blocks: list[str] = []
    listed = False
    for names, text in items(doc.splitlines()):
        if names == "":
            blocks.append(f"```python\n{text}\n```")
        elif names is None:
            blocks.append(plain(text))
        else:
            shown = [f"{one}={defaults[one]}" if defaults.get(one) else one for one in re.split(r",\s+", names)]
            line = f"- {', '.join(f'`{one}`' for one in shown)}: {plain(text)}"
            if listed:
                blocks[-1] += "\n" + line
            else:
                blocks.append(line)
        listed = bool(names)
    return "\n\n".join(blocks)


# --- the page ---


def entry(node: Definition, known: dict[str, ast.ClassDef]) -> str:
    made = node if isinstance(node, ast.FunctionDef) else constructor(node, known)
    parts = [f"### {node.name}"]
    if node.name == "Detection":
        fields = [one.target.id for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
        parts.append(f"```python\nDetection({', '.join(fields)})\n```")
    elif made and not is_result(node):
        parts.append(f"```python\n{signature(node.name, made)}\n```")
    doc = ast.get_docstring(node)
    if not doc:
        raise ValueError(f"{node.name} has no docstring")
    parts.append(markdown(doc, dict(parameters(made)) if made else {}))
    if isinstance(node, ast.ClassDef):
        parts += [member(one) for one in node.body if isinstance(one, ast.FunctionDef) and told(one)]
    else:
        more = [name for name, default in parameters(node) if default == ""]
        if more:
            options = ", ".join(f"`{name}`" for name in more)
            parts.append(f"Options, as [the families](#the-families) have them: {options}.")
    return "\n\n".join(parts)


def is_result(node: Definition) -> bool:
    """What post-processors make: its constructor is the library's own affair."""
    return node.name in ("Mask", "Segmentation")


def told(function: ast.FunctionDef) -> bool:
    return not function.name.startswith("_") and bool(ast.get_docstring(function))


def member(function: ast.FunctionDef) -> str:
    called = function.name if is_property(function) else signature(function.name, function)
    head = f"**`.{called}{returned(function)}`**"
    doc = ast.get_docstring(function) or ""
    return f"{head}\n\n{markdown(doc, dict(parameters(function)))}"


def text() -> str:
    source = TYPES.read_text()
    tree = ast.parse(source)
    known = classes(tree)
    filled = {title: nodes for title, nodes in sections(source, tree).items() if nodes}
    contents, body = [], []
    for title, nodes in filled.items():
        heading = title[0].upper() + title[1:]
        names = ", ".join(f"[`{node.name}`](#{anchor(node.name)})" for node in nodes)
        contents.append(f"- [{heading}](#{anchor(heading)}): {names}")
        body += [f"## {heading}", *[entry(node, known) for node in nodes]]
    return "\n\n".join([HEAD.rstrip(), "\n".join(contents), *body]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare")
    arguments = parser.parse_args()
    after = text()
    if arguments.check:
        current = TARGET.exists() and TARGET.read_text() == after
        sys.exit(0 if current else f"{TARGET} is not what the docstrings say: run {__file__}")
    TARGET.write_text(after)


if __name__ == "__main__":
    main()
