"""The description and the links of the wheel and the sdist, which PyPI shows: hatchling calls this when it builds them.

The description is README.md with three changes. Its sections *Install* and *On a PC* are for a checkout, so those of
scripts/wheel/install.md replace them. Commands of a checkout become those of the wheel: `python3 scripts/demo.py` becomes
`n6post demo`. Relative links and pictures become addresses at the tag of this version, because PyPI has no other files.

The repository's name is `repository` in pyproject.toml, below [tool.hatch.metadata.hooks.custom]. The environment variable
N6POST_REPOSITORY has priority: make_release.py sets it. A wheel that is built from an sdist takes all of this from there.
"""

import ast
import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_REPLACED = "Install", "On a PC"
_PICTURES = ".jpg", ".png", ".gif"
_LINK = re.compile(r"(!?)(\[[^\[\]]*\])\(([^()\s]+)\)")
_COMMAND = re.compile(r"python3 (?:scripts/)?(\w+\.py)")


class Description(MetadataHookInterface):
    """hatchling's hook: sets the fields that pyproject.toml lists as dynamic."""

    def update(self, metadata: dict[str, Any]) -> None:
        root = Path(self.root)
        repository = os.environ.get("N6POST_REPOSITORY") or self.config["repository"]
        text = description(root, repository, metadata["version"])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        metadata["urls"] = urls(repository, metadata["version"])


def urls(repository: str, version: str) -> dict[str, str]:
    """The links beside the description. PyPI knows these names and gives them icons."""
    home = f"https://github.com/{repository}"
    owner, _, name = repository.partition("/")
    return {
        "Documentation": f"https://{owner.lower()}.github.io/{name}/",  # as build_site.py makes it
        "Source": home,
        "Changelog": f"{home}/blob/v{version}/CHANGELOG.md",
        "Issues": f"{home}/issues",
    }


def description(root: Path, repository: str, version: str) -> str:
    """The text, in Markdown. ValueError if README.md lacks a section that is replaced, or links to a file that is absent."""
    readme = (root / "README.md").read_text(encoding="utf-8")
    scripts = {script: name for name, script in _commands(root).items()}
    readme = _COMMAND.sub(lambda found: f"n6post {scripts[found[1]]}" if found[1] in scripts else found[0], readme)
    text = _with_sections(readme, (root / "scripts/wheel/install.md").read_text(encoding="utf-8"))
    return absolute(text, root, repository, version)


def absolute(text: str, root: Path, repository: str, version: str) -> str:
    """A text of the repository's main folder with complete addresses instead of relative links and pictures."""

    def address(found: re.Match[str]) -> str:
        picture, words, target = found.groups()
        if re.match(r"[a-z]+:", target):
            return found[0]
        path, _, anchor = target.partition("#")
        path = path or "README.md"
        file = root / path
        # An sdist leaves pictures out; it has no need of this, because its PKG-INFO has the finished text.
        if not file.exists():
            raise ValueError(f"README.md links to {path}, which does not exist")
        if picture or path.endswith(_PICTURES):
            start = f"https://raw.githubusercontent.com/{repository}/v{version}"
        else:
            start = f"https://github.com/{repository}/{'tree' if file.is_dir() else 'blob'}/v{version}"
        return f"{picture}{words}({start}/{path}{anchor and '#' + anchor})"

    # Not in blocks of code, which have an odd number of fences above them.
    parts = re.split(r"^(```.*$)", text, flags=re.MULTILINE)
    return "".join(part if i % 4 == 2 else _LINK.sub(address, part) for i, part in enumerate(parts))


def _with_sections(readme: str, sections: str) -> str:
    """README.md with other sections in the place of those in _REPLACED."""
    parts = re.split(r"^(?=## )", readme, flags=re.MULTILINE)
    titles = [part.partition("\n")[0].removeprefix("## ") for part in parts]
    places = [titles.index(title) for title in _REPLACED if title in titles]
    if len(places) < len(_REPLACED):
        raise ValueError(f"README.md: expected the sections {', '.join(_REPLACED)}, got {', '.join(titles[1:])}")
    parts[places[0]] = sections.rstrip() + "\n\n"
    return "".join(part for i, part in enumerate(parts) if i not in places[1:])


def _commands(root: Path) -> dict[str, str]:
    """{command of the wheel: script of a checkout}. Read, not imported: a build has no other packages than hatchling."""
    tree = ast.parse((root / "scripts/n6post_pc/cli.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "COMMANDS":
            return {name: script for name, (_, script, _) in ast.literal_eval(node.value).items()}
    raise ValueError("scripts/n6post_pc/cli.py has no COMMANDS")
