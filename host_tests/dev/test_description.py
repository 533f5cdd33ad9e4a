"""scripts/dev/description.py: the text and the links that PyPI shows, from README.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from urllib.parse import urlsplit

import pytest
from commands import ROOT
from n6post_pc import cli

markdown_it = pytest.importorskip("markdown_it")


@pytest.fixture
def describing(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    pytest.importorskip("hatchling")
    monkeypatch.syspath_prepend(ROOT / "scripts" / "dev")
    import description

    return description


@pytest.fixture
def text(describing: ModuleType) -> str:
    made: str = describing.description(ROOT, "someone/n6post", "1.2.3")
    return made


def addresses(text: str) -> Iterator[tuple[str, str]]:
    """(kind, address) of each link and picture, as a Markdown parser reads them."""
    for token in markdown_it.MarkdownIt("gfm-like", {"linkify": False}).parse(text):
        for child in token.children or ():
            if child.type in ("link_open", "image"):
                yield child.tag, str(child.attrGet("src" if child.type == "image" else "href"))


def test_no_link_and_no_picture_of_the_description_is_relative(text: str) -> None:
    found = list(addresses(text))
    assert len(found) > 40 and {"a", "img"} == {kind for kind, _ in found}
    assert all(urlsplit(address).scheme == "https" for _, address in found)
    # The parser has found them all: nothing like a link is left in the running text.
    assert len(re.findall(r"\]\(", re.sub(r"```.*?```", "", text, flags=re.DOTALL))) == len(found)


def test_every_link_leads_to_a_file_of_the_tag(text: str) -> None:
    ours = [(kind, address) for kind, address in addresses(text) if "someone/n6post" in address]
    assert len(ours) > 40
    for kind, address in ours:
        host = "raw.githubusercontent.com/someone/n6post" if kind == "img" else "github.com/someone/n6post/(blob|tree)"
        found = re.fullmatch(rf"https://{host}/v1\.2\.3/([^#]+)(#.+)?", address)
        assert found, address
        file = ROOT / found[found.re.groups - 1]
        assert file.exists(), address
        assert kind == "img" or file.is_dir() == (found[1] == "tree"), address


def test_the_description_shows_no_command_of_a_checkout(text: str) -> None:
    inside = text.partition("## On a PC")[0] + text.partition("## Status")[2]
    assert "python3 scripts/" not in inside and "checkout" not in inside
    assert "\nn6post optimize model.tflite --camera VGA --classes person,car\n" in text
    assert "run `n6post camera report`" in text


def test_every_command_of_the_description_exists(text: str) -> None:
    blocks = "".join(re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    code = re.findall(r"^n6post (\w+)", blocks, re.MULTILINE) + re.findall(r"`n6post (\w+)", text)
    assert len(code) > 6 and set(code) <= set(cli.COMMANDS)
    (extras,) = re.findall(r'^pip install "n6post\[(.*)\]"$', text, re.MULTILINE)
    assert set(extras.split(",")) <= set(cli.EXTRAS.values())


def test_the_sections_of_the_readme_keep_their_order(text: str) -> None:
    def titles(markdown: str) -> list[str]:
        return re.findall(r"^## (.*)$", markdown, re.MULTILINE)

    assert titles(text) == titles((ROOT / "README.md").read_text(encoding="utf-8"))
    assert text.count("pip install") == 1 and text.startswith("# n6post\n")


def test_links_in_code_stay_as_they_are(describing: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "a.md").touch()
    (tmp_path / "docs").mkdir()
    before = "[x](a.md#b) [y](#z) [d](docs)\n\n```text\n[x](a.md)\n```\n\n[x](a.md) [w](https://a.b/c) [m](mailto:a@b.c)\n"
    (tmp_path / "README.md").touch()
    blob = "https://github.com/me/it/blob/v8"
    assert describing.absolute(before, tmp_path, "me/it", "8") == (
        f"[x]({blob}/a.md#b) [y]({blob}/README.md#z) [d](https://github.com/me/it/tree/v8/docs)\n\n"
        f"```text\n[x](a.md)\n```\n\n[x]({blob}/a.md) [w](https://a.b/c) [m](mailto:a@b.c)\n"
    )


@pytest.mark.parametrize("before, after, message", [
    ("", "", None),
    ("](a.md)", "](b.md)", "README.md links to b.md, which does not exist"),
    ("## Install\n", "## Installing\n", "expected the sections Install, On a PC, got Installing, On a PC, Status"),
])  # fmt: skip
def test_a_readme_that_does_not_fit_fails_the_build(
    before: str, after: str, message: str | None, describing: ModuleType, tmp_path: Path
) -> None:
    readme = (
        "# It\n\n[A](a.md)\n\n## Install\n\nIn a checkout.\n\n## On a PC\n\nToo.\n\n"
        "## Status\n\n`python3 scripts/demo.py`\n"
    )
    files = {
        "a.md": "",
        "README.md": readme.replace(before, after) if before else readme,
        "scripts/wheel/install.md": "## Install\n\nBy pip.\n",
        "scripts/n6post_pc/cli.py": 'COMMANDS = {"show": ("demo", "demo.py", "help")}\n',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    if message is None:
        made = describing.description(tmp_path, "me/it", "8")
        address = "https://github.com/me/it/blob/v8/a.md"
        assert made == f"# It\n\n[A]({address})\n\n## Install\n\nBy pip.\n\n## Status\n\n`n6post show`\n"
        return
    with pytest.raises(ValueError, match=re.escape(message)):
        describing.description(tmp_path, "me/it", "8")
