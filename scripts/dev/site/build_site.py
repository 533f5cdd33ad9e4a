"""Build the documentation as a site: `python3 scripts/dev/site/build_site.py [--serve] [--repository OWNER/NAME]`.

The pages are the Markdown that GitHub shows. This script copies them to build/site/pages (site_pages.py), runs every example
for its picture (site_pictures.py), and lets MkDocs write the site to build/site/html, with its theme Material. It takes
half a minute at first, later a few seconds. MkDocs stops at any link or anchor that leads nowhere.

    --serve             then show the site on 127.0.0.1. It does not follow changes: run it again. (Search works only with a
                        server.)
    --repository        OWNER/NAME on GitHub, for the links to source files (default: pyproject.toml's)
    --deploy REF        add the site to the branch gh-pages of the repository in the current folder, with mike. The branch
                        main becomes the version "dev", a tag such as v1.2.3 becomes 1.2, and `latest` if there is no later
                        one. Nothing is pushed: .github/workflows/site.yml does that
    --bundle FILE       then write that branch to a file, for `git clone`
    --out FOLDER        another folder than build/site, which is overwritten

The pictures are kept in build/site-pictures, and made again if an example, the library or a recording has changed.
"""

import sys
from pathlib import Path

sys.path[:0] = [str(folder) for folder in (Path(__file__).resolve().parent, *Path(__file__).resolve().parents[1:3])]
import _venv

if __name__ == "__main__":
    _venv.enter("site")

import argparse
import contextlib
import hashlib
import http.server
import json
import os
import re
import shutil
import subprocess
import tomllib
from functools import partial
from typing import Any

import make_release
import site_pages
import yaml
from site_pages import Example, Site

ROOT = _venv.ROOT
SITE = ROOT / "build" / "site"
KEPT = ROOT / "build" / "site-pictures"
ASSETS = Path(__file__).resolve().parent
PORT = 8000
MARK = "# build_site.py made this folder and deletes it again.\n"


def pictures(folder: Path) -> list[Example]:
    """Every example with its picture, which is written to folder/examples."""
    (folder / "examples").mkdir(parents=True)
    KEPT.mkdir(parents=True, exist_ok=True)
    common = _fingerprint([*(ROOT / "lib").rglob("*.py"), *(ROOT / "stubs").rglob("*.py"),
                           *(ROOT / "scripts" / "n6post_pc").rglob("*.py"), *Path(__file__).parent.glob("site_*.py"),
                           *(ROOT / "scripts" / "n6post_pc" / "data").rglob("*.xz")])  # fmt: skip
    found = []
    used = set()
    for name in site_pages.examples():
        key = hashlib.sha256((common + _fingerprint([ROOT / site_pages.EXAMPLES / f"{name}.py"])).encode()).hexdigest()[:16]
        kept, about = KEPT / f"{name}-{key}.webp", KEPT / f"{name}-{key}.json"
        if not about.exists():
            import site_pictures  # imports the library and the stand-ins, which takes a second
            from site_scenes import scenes

            scene = scenes().get(name)
            if scene is None:
                sys.exit(f"{site_pages.EXAMPLES}/{name}.py has no scene in scripts/dev/site/site_scenes.py")
            shown = site_pictures.run(name, scene)
            told = {"printed": shown.printed, "cut": shown.cut, "changed": shown.changed, "repeated": shown.repeated}
            part = KEPT / f"{name}-{os.getpid()}.part"  # another build may be running
            shown.picture.save(part, "WEBP", quality=85, method=6)
            part.replace(kept)
            part.write_text(json.dumps({"note": scene.note, "alt": scene.alt, **told}), encoding="utf-8")
            part.replace(about)
        found.append(Example(name, **json.loads(about.read_text(encoding="utf-8"))))
        shutil.copyfile(kept, folder / found[-1].picture)
        used |= {kept, about}
    for old in {file for file in KEPT.iterdir() if file.suffix != ".part"} - used:
        old.unlink(missing_ok=True)
    return found


def _fingerprint(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.as_posix().encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def stage(folder: Path, site: Site, *, versions: bool = False) -> None:
    """Write the pages and the settings for MkDocs to a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    pages = folder / "pages"
    pages.mkdir(parents=True)
    # First: the mark in this file says that the folder is ours, also after an interruption.
    text = MARK + yaml.safe_dump(settings(site, versions=versions), sort_keys=False)
    (folder / "mkdocs.yml").write_text(text, encoding="utf-8")
    shown = pictures(pages)
    for source, place in site_pages.sources().items():
        target = pages / place
        target.parent.mkdir(parents=True, exist_ok=True)
        text = (ROOT / source).read_text(encoding="utf-8")
        try:
            text = site_pages.page(text, source, place, site, shown)
        except ValueError as error:
            sys.exit(f"{source}: {error}")
        target.write_text(text, encoding="utf-8", newline="\n")
    for picture in (ROOT / "docs").iterdir():
        if picture.name.endswith(site_pages.PICTURES):
            shutil.copyfile(picture, pages / picture.name)
    for example in shown:
        text = site_pages.example_page(example, site)
        (pages / "examples" / f"{example.name}.md").write_text(text, encoding="utf-8", newline="\n")
    (pages / "assets").mkdir()
    for name in ("logo.svg", "favicon.svg", "style.css"):
        shutil.copyfile(ASSETS / name, pages / "assets" / name)
    shutil.copytree(ASSETS / "overrides", folder / "overrides")
    shutil.copyfile(ASSETS / "hooks.py", folder / "hooks.py")


def settings(site: Site, *, versions: bool) -> dict[str, Any]:
    """The settings of scripts/dev/site/mkdocs.yml, with addresses, examples and the version."""
    made: dict[str, Any] = yaml.safe_load((ASSETS / "mkdocs.yml").read_text(encoding="utf-8"))
    owner, _, name = site.repository.partition("/")
    if site.is_named:  # otherwise the header would link to nowhere
        made["repo_url"], made["repo_name"] = f"https://github.com/{site.repository}", site.repository
        made["site_url"] = f"https://{owner.lower()}.github.io/{name}/"
    made["copyright"] = f"n6post {version()}, {site.ref}. MIT License"
    made["extra"] = {"version": {"provider": "mike", "alias": True, "default": ["latest", "dev"]}} if versions else {}
    for section in made["nav"]:
        if section.get("Examples") == "examples":
            section["Examples"] = nav_of_examples()
    return made


def nav_of_examples() -> list[object]:
    """The page of examples, then those under each of its headings, in its order."""
    text = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
    found: list[object] = [{"All examples": "examples.md"}]
    for title, body in re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", text, re.MULTILINE):
        names = list(dict.fromkeys(re.findall(r"^\|.*", body, re.MULTILINE)))
        links = [name for row in names for name in re.findall(r"\]\(\.\./scripts/examples/(\w+)\.py\)", row)]
        if links:
            found.append({title: [{f"{name}.py": f"examples/{name}.md"} for name in links]})
    return found


def version() -> str:
    project: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project["version"]


def run(module: str, *arguments: str, folder: Path) -> str:
    """What mkdocs or mike prints to stdout. Exits if it fails."""
    # Their programs are beside Python's; mike also calls mkdocs by its name. Without the variable, the theme says at every
    # build until when it is maintained.
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONUTF8": "1", "PATH": programs}
    command = [shutil.which(module, path=programs) or module, *arguments, "--config-file", str(folder / "mkdocs.yml")]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    if done.returncode:
        sys.exit(done.returncode)
    return done.stdout


def deploy(ref: str, folder: Path) -> None:
    """Add the site to the branch gh-pages: as "dev" for main, as X.Y and perhaps `latest` for a tag vX.Y.Z."""
    mike = partial(run, "mike", folder=folder)

    name, alias = deployed_as(ref, [one["version"] for one in json.loads(mike("list", "--json") or "[]")])
    # Copies, not links of the file system: git stores the same files once, and every server and system can show them.
    title = ["--title", "dev (main)"] if name == "dev" else []
    mike("deploy", "--update-aliases", "--alias-type", "copy", *title, name, *alias)
    known = json.loads(mike("list", "--json"))
    default = "latest" if any("latest" in one["aliases"] for one in known) else name
    mike("set-default", default)
    not_found_page(default)
    print(f"gh-pages has {', '.join(one['version'] for one in known)}; visitors see {default}")


def not_found_page(version: str) -> None:
    """Copy the page 404 of a version to the root of gh-pages: the only place where GitHub looks for it."""
    from mike import git_utils

    page = git_utils.read_file("gh-pages", f"{version}/404.html")
    with contextlib.suppress(git_utils.GitEmptyCommit), git_utils.Commit("gh-pages", f"The page 404 of {version}") as commit:
        commit.add_file(git_utils.FileInfo("404.html", page))


def deployed_as(ref: str, deployed: list[str]) -> tuple[str, list[str]]:
    """(version, aliases) for a tag or main, with these versions there already. Exits for anything else."""
    if ref == "main":
        return "dev", []
    found = re.fullmatch(r"v(\d+)\.(\d+)\.\d+", ref)
    if found is None:
        sys.exit(f"--deploy: expected main or a tag such as v1.2.3, got {ref!r}")
    ours = int(found[1]), int(found[2])
    others = [tuple(map(int, one.split("."))) for one in deployed if re.fullmatch(r"\d+\.\d+", one)]
    return f"{ours[0]}.{ours[1]}", ["latest"] if all(ours >= other for other in others) else []


def serve(html: Path, port: int) -> None:
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(html))
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        print(f"http://127.0.0.1:{server.server_port}  (Ctrl-C ends it)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repository", default=make_release.repository(),
                        help="OWNER/NAME on GitHub (default: pyproject.toml's)")  # fmt: skip
    parser.add_argument("--serve", nargs="?", type=int, const=PORT, metavar="PORT", help=f"show it (default port {PORT})")
    parser.add_argument("--deploy", metavar="REF", help="main, or a tag such as v1.2.3: add its version to gh-pages")
    parser.add_argument("--bundle", type=Path, metavar="FILE", help="with --deploy: write the branch gh-pages to a file")
    parser.add_argument("--out", type=Path, default=SITE, metavar="FOLDER", help="default build/site")
    options = parser.parse_args(arguments)
    folder = options.out.resolve()
    made = folder / "mkdocs.yml"
    if folder.is_file():
        sys.exit(f"{folder} is a file: choose a folder with --out")
    if folder.exists() and any(folder.iterdir()) and not (made.is_file() and made.read_bytes().startswith(MARK.encode())):
        sys.exit(f"{folder} contains something else than a site of this command: delete it, or choose another with --out")
    if options.deploy:
        deployed_as(options.deploy, [])
    site = Site(options.repository, options.deploy or "main")
    stage(folder, site, versions=bool(options.deploy))
    if options.deploy:
        deploy(options.deploy, folder)
        if options.bundle:
            subprocess.run(["git", "bundle", "create", "--quiet", str(options.bundle), "gh-pages"], check=True)
        return
    run("mkdocs", "build", "--strict", folder=folder)
    print(f"{folder / 'html'}: {len(list((folder / 'html').rglob('*.html')))} pages")
    if options.serve is not None:
        serve(folder / "html", options.serve)


if __name__ == "__main__":
    main()
