""".github: the workflows run commands that exist, with pinned actions and few rights; the forms ask for what we need.

actionlint and zizmor look closer; CONTRIBUTING.md says how to run them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from n6post_pc import cli
from n6post_pc.camera import command as camera

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = sorted((GITHUB / "ISSUE_TEMPLATE").glob("[0-9]*.yml"))
NAMES = [file.name for file in WORKFLOWS]
MODULES = {script: cli.paths.HERE / (module.replace(".", "/") + ".py") for module, script, _ in cli.COMMANDS.values()}
ON_RUNNERS = {"apt-get", "sha256sum", "gh", "git"}  # programs of the machine that runs a step


def text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def jobs(workflow: str) -> dict[str, str]:
    """The text of each job, by its name."""
    parts = re.split(r"^  (\w+):\n", workflow.partition("\njobs:\n")[2], flags=re.MULTILINE)[1:]
    parts = [part for part in parts if not part.startswith("  #")]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def permissions(job: str) -> dict[str, str]:
    """The permissions that a job asks for."""
    found = re.search(r"^    permissions:\n((?:      .*\n)+)", job, re.MULTILINE)
    return dict(re.findall(r"^ +([\w-]+): (\w+)", found[1], re.MULTILINE)) if found else {}


def test_there_are_three_workflows() -> None:
    assert NAMES == ["release.yml", "site.yml", "test.yml"]


@pytest.mark.parametrize("file", WORKFLOWS, ids=NAMES)
def test_every_action_is_pinned_by_its_commit(file: Path) -> None:
    used = re.findall(r"uses: (.*)", text(file))
    assert used
    for one in used:
        if one.startswith("./.github/workflows/"):
            assert (ROOT / one).is_file()
        else:
            assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one), one


def test_an_action_has_one_version_everywhere() -> None:
    used = {one for file in WORKFLOWS for one in re.findall(r"uses: (\S+@.*)", text(file))}
    assert len({one.partition("@")[0] for one in used}) == len(used) == 6


@pytest.mark.parametrize("file", WORKFLOWS, ids=NAMES)
def test_every_job_has_a_time_limit_and_a_run_has_a_group(file: Path) -> None:
    assert re.search(r"^concurrency:\n(?:  .*\n)*  group: ", text(file), re.MULTILINE)
    for name, job in jobs(text(file)).items():
        assert "timeout-minutes: " in job or "uses: ./" in job, name


def test_a_job_may_write_only_what_it_has_to() -> None:
    workflow = text(GITHUB / "workflows" / "release.yml")
    assert "\npermissions: {}\n" in workflow
    assert "\npermissions:\n  contents: read\n" in text(GITHUB / "workflows" / "test.yml")
    assert {name: permissions(job) for name, job in jobs(workflow).items()} == {
        "test": {"contents": "read"},
        "build": {"contents": "read"},
        "provenance": {"id-token": "write", "attestations": "write"},
        "draft": {"contents": "write"},
        "pypi": {"id-token": "write"},
        "mpy": {"contents": "write"},
    }
    site = text(GITHUB / "workflows" / "site.yml")
    assert "\npermissions: {}\n" in site
    assert {name: permissions(job) for name, job in jobs(site).items()} == {
        "build": {"contents": "read"}, "publish": {"contents": "write"},
    }  # fmt: skip
    # What is installed from elsewhere runs only where nothing can be written.
    for name, job in [*jobs(workflow).items(), *jobs(site).items()]:
        if "write" in permissions(job).values():
            assert "checkout" not in job and "python" not in job.replace("pypi.org", ""), name


def test_the_site_gets_a_version_when_a_release_is_published() -> None:
    site = text(GITHUB / "workflows" / "site.yml")
    assert site.partition("\non:\n")[2].partition("\npermissions:")[0] == (
        "  push:\n    branches: [main]\n  release:\n    types: [published]"
    )
    assert "!github.event.release.prerelease" in jobs(site)["build"]


def test_no_checkout_leaves_its_credentials_to_later_steps() -> None:
    for file in WORKFLOWS:
        assert text(file).count("actions/checkout@") == text(file).count("persist-credentials: false")


def test_nothing_is_published_before_the_tests_have_passed() -> None:
    needs = {name: re.findall(r"[a-z]+", (re.search(r"needs: (.*)", job) or ["", ""])[1])
             for name, job in jobs(text(GITHUB / "workflows" / "release.yml")).items()}  # fmt: skip

    def before(name: str) -> set[str]:
        return {name}.union(*map(before, needs[name]))

    assert before("pypi") == {"pypi", "draft", "provenance", "build", "test"}
    assert before("draft") >= {"provenance", "test"}
    assert before("mpy") == before("pypi") | {"mpy"}


def test_a_release_adds_a_commit_to_the_branch_for_mip(tmp_path: Path) -> None:
    """The commands of release.yml, with a repository on this machine in place of GitHub's."""
    steps = re.findall(r"run: (.*)", jobs(text(GITHUB / "workflows" / "release.yml"))["mpy"])
    assert len(steps) == 3
    remote = tmp_path / "remote"
    subprocess.run(["git", "init", "--quiet", "--bare", str(remote)], check=True)
    name = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = os.environ | name | {"GIT_DIR": "branch", "GIT_WORK_TREE": "release/mpy"}
    for tag, file in (("v1.0", "old.mpy"), ("v1.1", "new.mpy")):
        runner = tmp_path / tag
        (runner / "release" / "mpy").mkdir(parents=True)
        (runner / "release" / "mpy" / file).write_text(tag, encoding="utf-8")
        for number, step in enumerate(steps):
            step = re.sub(r'"https://\S+"', f'"{remote.as_posix()}"', step)
            given = environment | {"TAG": tag}
            done = subprocess.run(["bash", "-c", step], cwd=runner, env=given, capture_output=True, text=True)
            assert done.returncode == 0 or (tag, number) == ("v1.0", 0), done.stderr
    log = ["git", f"--git-dir={remote}", "log", "--format=%s", "--name-status", "mpy"]
    shown = subprocess.run(log, capture_output=True, text=True, check=True).stdout.split()
    assert shown == ["n6post", "v1.1", "A", "new.mpy", "D", "old.mpy", "n6post", "v1.0", "A", "old.mpy"]


def commands(file: Path) -> list[str]:
    """The commands of all steps, with the folded ones in one line."""
    return [part.strip() for line in re.findall(r"^\s+run: (.*)", text(file), re.MULTILINE) for part in line.split("&&")]


@pytest.mark.parametrize("file", WORKFLOWS, ids=NAMES)
def test_every_command_of_a_step_exists(file: Path) -> None:
    assert "run: |" not in text(file)  # each step is one command
    found = commands(file)
    assert found
    for command in found:
        program, *words = command.split()
        if program == "python":
            script = ROOT / words[0]
            assert script.is_file(), command
            options = [word for word in words if word.startswith("--")]
            assert all(f'"{option}"' in text(script) for option in options), command
        elif program.startswith("."):
            assert (ROOT / program).stat().st_mode & 0o111, command
            assert shutil.which("bash") and subprocess.run(["bash", "-n", str(ROOT / program)]).returncode == 0
        else:
            assert program in ON_RUNNERS, command


def test_values_from_outside_reach_commands_as_variables_only() -> None:
    """A tag may have any name: `${{ }}` in a command would run what is in it."""
    assert not [command for file in WORKFLOWS for command in commands(file) if "${{" in command]


def test_the_tests_run_on_every_supported_python_and_system() -> None:
    workflow = text(GITHUB / "workflows" / "test.yml")
    supported = re.findall(r'python: \["(.*)"\]', workflow)
    assert supported and set(supported) == {'3.11", "3.12", "3.13", "3.14'}
    assert "system: [ubuntu-24.04, windows-2025, macos-15]" in workflow
    # The README's command, directly or by .ci/run.
    assert "python3 scripts/test.py" in text(ROOT / "README.md")
    assert "scripts/test.py" in text(ROOT / ".ci" / "run") and "run: .ci/run" in workflow
    assert "run: python scripts/test.py" in workflow


def test_dependabot_looks_where_pins_are() -> None:
    config = text(GITHUB / "dependabot.yml")
    places = re.findall(r"package-ecosystem: (\S+)\n    directory: (\S+)", config)
    assert places == [("github-actions", "/"), ("pip", "/requirements"), ("npm", "/host_tests/micropython/npm")]
    assert all((ROOT / folder.strip("/")).is_dir() for _, folder in places)
    assert "lock_requirements.py" in config


# ---- the forms ----


def fields(file: Path) -> dict[str, str]:
    """The text of each field of a form, by its id."""
    parts = re.split(r"^  - type: ", text(file), flags=re.MULTILINE)[1:]
    return {match[1]: part for part in parts if (match := re.search(r"^    id: (\S+)", part, re.MULTILINE))}


def test_there_is_a_form_for_each_kind_of_issue() -> None:
    assert [file.stem for file in FORMS] == ["1-camera", "2-model", "3-bug", "4-feature"]
    assert "blank_issues_enabled: " in text(GITHUB / "ISSUE_TEMPLATE" / "config.yml")


@pytest.mark.parametrize("file", FORMS, ids=[file.stem for file in FORMS])
def test_a_form_has_a_name_and_unique_fields_with_labels(file: Path) -> None:
    form = text(file)
    assert re.match(r"name: .+\ndescription: .+\n", form)
    ids = re.findall(r"^    id: (\S+)", form, re.MULTILINE)
    assert ids and len(ids) == len(set(ids)) == len(re.findall(r"^      label: ", form, re.MULTILINE))
    kinds = re.findall(r"^  - type: (\S+)", form, re.MULTILINE)
    assert set(kinds) <= {"markdown", "input", "textarea", "dropdown", "checkboxes"} and len(kinds) <= len(ids) + 1


@pytest.mark.parametrize("file", FORMS, ids=[file.stem for file in FORMS])
def test_commands_in_a_form_exist(file: Path) -> None:
    form = text(file)
    for command, words in re.findall(r"python3 (scripts/\w+\.py)([^`\n]*)", form):
        assert (ROOT / command).is_file()
        for option in re.findall(r"--[\w-]+", words):
            assert option in text(MODULES[Path(command).name]), (command, option)
    for page in re.findall(r"docs/([\w/-]+\.md)", form):
        assert (ROOT / "docs" / page).is_file(), page


def test_the_camera_form_asks_for_what_report_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert "python3 scripts/camera.py report" in fields(FORMS[0])["report"]
    with pytest.raises(SystemExit):
        camera.main(["report", "--help"], "camera.py")
    assert "paste into an issue" in " ".join(capsys.readouterr().out.split())


def test_the_model_form_asks_for_what_inspect_prints() -> None:
    assert "python3 scripts/inspect_model.py model.tflite --json" in fields(FORMS[1])["inspect"]
    assert "render: json" in fields(FORMS[1])["inspect"]


def test_the_pull_request_template_names_the_checks() -> None:
    template = text(GITHUB / "pull_request_template.md")
    assert "python3 scripts/test.py" in template and "CHANGELOG.md" in template


# ---- what others read ----


def test_the_citation_is_of_this_version() -> None:
    citation = text(ROOT / "CITATION.cff")
    version = json.loads(text(ROOT / "package.json"))["version"]
    date: Any = re.search(rf"^## {re.escape(version)} \((.*)\)", text(ROOT / "CHANGELOG.md"), re.MULTILINE)
    assert f"\nversion: {version}\n" in citation
    assert date is None or f'\ndate-released: "{date[1]}"\n' in citation


def test_the_code_of_conduct_is_a_reference() -> None:
    conduct = text(ROOT / "CODE_OF_CONDUCT.md")
    assert "contributor-covenant.org/version/" in conduct and len(conduct) < 2000
