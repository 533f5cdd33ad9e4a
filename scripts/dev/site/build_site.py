"""Build the documentation as a site: `python3 scripts/dev/site/build_site.py [--serve] [--repository OWNER/NAME]`.

MkDocs, with its theme Material, reads the Markdown that GitHub shows (mkdocs.yml, hooks.py) and writes the site to
build/site. It stops at any link or anchor that leads nowhere.

    --serve             show the site on 127.0.0.1 instead, and follow changes of docs/
    --repository        OWNER/NAME on GitHub, for the links to source files (default: pyproject.toml's)
    --deploy REF        add the site to the branch gh-pages of the repository in the current folder, with mike. The branch
                        main becomes the version "dev", a tag such as v1.2.3 becomes 1.2, and `latest` if there is no later
                        one. Nothing is pushed: .github/workflows/site.yml does that
    --bundle FILE       then write that branch to a file, for `git clone`
    --out FOLDER        another folder than build/site, which is overwritten
    --without-try       leave out the page "Try it in your browser" (try_page.py), which needs node and npm. Without them the
                        site has docs/try.md in its place
"""

import sys
from pathlib import Path

sys.path[:0] = [str(folder) for folder in Path(__file__).resolve().parents[1:3]]
import _venv

if __name__ == "__main__":
    _venv.enter("site")

import argparse
import contextlib
import json
import os
import re
import shutil
import subprocess

import make_release

SETTINGS = Path(__file__).resolve().parent / "mkdocs.yml"
SITE = _venv.ROOT / "build" / "site"
PORT = 8000


def run(module: str, *arguments: str) -> str:
    """What mkdocs or mike prints to stdout. Exits if it fails."""
    # Their programs are beside Python's; mike also calls mkdocs by its name. Without the variable, the theme says at every
    # build until when it is maintained.
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONUTF8": "1", "PATH": programs}
    command = [shutil.which(module, path=programs) or module, *arguments, "--config-file", str(SETTINGS)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    if done.returncode:
        sys.exit(done.returncode)
    return done.stdout


def deploy(ref: str) -> None:
    """Add the site to the branch gh-pages: as "dev" for main, as X.Y and perhaps `latest` for a tag vX.Y.Z."""
    name, alias = deployed_as(ref, [one["version"] for one in json.loads(run("mike", "list", "--json") or "[]")])
    title = ["--title", "dev (main)"] if name == "dev" else []
    run("mike", "deploy", "--update-aliases", *title, name, *alias)
    known = json.loads(run("mike", "list", "--json"))
    default = "latest" if any("latest" in one["aliases"] for one in known) else name
    run("mike", "set-default", default)
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


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repository", default=make_release.repository(),
                        help="OWNER/NAME on GitHub (default: pyproject.toml's)")  # fmt: skip
    parser.add_argument("--serve", nargs="?", type=int, const=PORT, metavar="PORT", help=f"show it (default port {PORT})")
    parser.add_argument("--deploy", metavar="REF", help="main, or a tag such as v1.2.3: add its version to gh-pages")
    parser.add_argument("--bundle", type=Path, metavar="FILE", help="with --deploy: write the branch gh-pages to a file")
    parser.add_argument("--out", type=Path, default=SITE, metavar="FOLDER", help="default build/site")
    parser.add_argument("--without-try", action="store_true", help='leave out "Try it in your browser", which needs npm')
    options = parser.parse_args(arguments)
    folder = options.out.resolve()
    ours = not folder.exists() or folder == SITE or (folder / "404.html").is_file()
    if not ours and (folder.is_file() or any(folder.iterdir())):
        sys.exit(f"{folder} is something else than a folder with a site: delete it, or choose another with --out")
    if options.deploy:
        deployed_as(options.deploy, [])
    # hooks.py and mkdocs.yml read these.
    os.environ |= {"SITE_REPOSITORY": options.repository, "SITE_REF": options.deploy or "main", "SITE_FOLDER": str(folder),
                   "SITE_TRY": "" if options.without_try else "yes"}  # fmt: skip
    if options.deploy:
        deploy(options.deploy)
        if options.bundle:
            subprocess.run(["git", "bundle", "create", "--quiet", str(options.bundle), "gh-pages"], check=True)
    elif options.serve is not None:
        with contextlib.suppress(KeyboardInterrupt):
            run("mkdocs", "serve", "--strict", "--dev-addr", f"127.0.0.1:{options.serve}")
    else:
        run("mkdocs", "build", "--strict")
        print(f"{folder}: {len(list(folder.rglob('*.html')))} pages")


if __name__ == "__main__":
    main()
