"""What the documents say exists: commands, files, groups, versions."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

import holdcourse
from holdcourse.config import schema
from holdcourse.config.compose import compose

DOCUMENTS = ("README.md", "CONTRIBUTING.md", "docs", "results/README.md")
BLOCK = re.compile(r"```bash\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)\)")
QUOTED = re.compile(r"`([^`\n]+)`")
ROOMS = ("conf/", "src/", "docs/", "workflow/", "tests/", "notebooks/", "benchmarks/")


@pytest.fixture(scope="module")
def documents(root: Path) -> dict[Path, str]:
    paths = [
        path
        for name in DOCUMENTS
        for path in ([root / name] if name.endswith(".md") else (root / name).glob("*.md"))
    ]
    return {path: path.read_text(encoding="utf-8") for path in paths}


@pytest.fixture(scope="module")
def commands(documents: dict[Path, str]) -> list[list[str]]:
    lines = [
        line for text in documents.values() for block in BLOCK.findall(text) for line in block.splitlines()
    ]
    return [shlex.split(line, comments=True) for line in lines if line.strip()]


def of(commands: list[list[str]], *start: str) -> Iterator[list[str]]:
    """The commands that begin with the given words, without them."""
    return (command[len(start) :] for command in commands if tuple(command[: len(start)]) == start)


def test_the_readme_opens_with_the_two_commands(root: Path) -> None:
    first = BLOCK.search((root / "README.md").read_text())
    assert first is not None
    assert [line.split("#")[0].strip() for line in first[1].splitlines()] == ["make setup", "make reproduce"]
    assert first.start() < 100


def test_make_targets_in_the_documents_exist(root: Path, documents: dict[Path, str]) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (root / "Makefile").read_text(), re.MULTILINE))
    named = {
        target
        for text in documents.values()
        for target in re.findall(r"(?:^|`)make ([a-z][a-z-]*)", text, re.MULTILINE)
    }
    assert {"setup", "reproduce", "test"} <= named
    assert named - targets == set()


def test_snakemake_commands_name_studies_targets_and_settings_that_exist(
    root: Path, commands: list[list[str]]
) -> None:
    rules = "".join(
        path.read_text() for path in [root / "workflow/Snakefile", *root.glob("workflow/rules/*.smk")]
    )
    targets = set(re.findall(r"^rule (\w+):", rules, re.MULTILINE))
    found = list(of(commands, "snakemake"))
    assert found
    for words in found:
        if "--config" not in words:
            continue
        settings = [word for word in words[words.index("--config") + 1 :] if "=" in word]
        given = dict(setting.split("=", 1) for setting in settings)
        assert set(given) <= {"study", "overrides"}
        compose(given["study"], tuple(shlex.split(given.get("overrides", ""))))
        assert {word for word in words[words.index("--config") + 1 :] if "=" not in word} <= targets


def test_stage_commands_name_stages_and_keys_that_exist(commands: list[list[str]]) -> None:
    found = [words for words in commands if words[:2] == ["python", "-m"]]
    assert len(found) >= 4
    for _, _, module, *settings in found:
        assert module.startswith("holdcourse.stages.")
        assert find_spec(module) is not None, module
        first_of_each = [word.split(",")[0] for word in settings if "=" in word]
        given = dict(setting.split("=", 1) for setting in first_of_each)
        # Some commands take words of their own beside the keys of conf/.
        own = {
            "holdcourse.stages.cost": {"out"},
            "holdcourse.stages.cache": {"file"},
            "holdcourse.stages.recover": {"trajectory", "model", "onset", "task", "docs", "cause", "out"},
        }.get(module, set())
        keys = tuple(f"{key}={value}" for key, value in given.items() if key not in {*own, "study"})
        compose(given.get("study", "offline"), keys)


def test_stages_listed_in_the_readme_are_those_that_exist(root: Path) -> None:
    text = (root / "README.md").read_text()
    paragraph = text[text.index("In the order data flows:") :].split("\n\n")[0]
    listed = set(re.findall(r"`(\w+)`", paragraph))
    runnable = {
        path.stem
        for path in (root / "src/holdcourse/stages").glob("*.py")
        if "\nSTAGE = " in path.read_text()
    }
    assert listed == runnable


def test_links_lead_to_files(documents: dict[Path, str]) -> None:
    broken = [
        f"{path.name}: {target}"
        for path, text in documents.items()
        for target in LINK.findall(text)
        if "://" not in target and not (path.parent / target).exists()
    ]
    assert broken == []


def test_paths_named_in_the_documents_exist(root: Path, documents: dict[Path, str]) -> None:
    missing = [
        f"{path.name}: {name}"
        for path, text in documents.items()
        for name in QUOTED.findall(text)
        if name.startswith(ROOMS) and "NAME" not in name and "{" not in name and " " not in name
        if not list(root.glob(name))
    ]
    assert missing == []


def test_modules_of_the_number_table_exist(root: Path) -> None:
    text = (root / "README.md").read_text()
    table = text[text.index("## Where each number comes from") : text.index("## What the real run costs")]
    named = re.findall(r"`((?:stages|telecom|evolution|metrics|report|llm)/[\w/]*(?:\.py)?)`", table)
    assert len(named) > 8
    assert [name for name in named if not (root / "src/holdcourse" / name).exists()] == []


def test_every_configuration_group_is_described_and_has_a_schema(root: Path) -> None:
    guide = (root / "docs/workflow.md").read_text()
    sections = " ".join(value.__doc__ or "" for value in vars(schema).values() if isinstance(value, type))
    for group in sorted(path for path in (root / "conf").iterdir() if path.is_dir()):
        assert f"`conf/{group.name}/`" in guide, group.name
        assert list(group.glob("*.yaml")), group.name
        if group.name not in {
            "study",
            "paper",
        }:  # a study is the whole `Config`; the paper has its own schema
            assert f"conf/{group.name}/" in sections, group.name


def test_every_configuration_file_says_what_it_is(root: Path) -> None:
    silent = [str(path) for path in (root / "conf").rglob("*.yaml") if not path.read_text().startswith("#")]
    assert silent == []


def test_the_documents_agree_on_the_version(root: Path) -> None:
    citation = yaml.safe_load((root / "CITATION.cff").read_text())
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == holdcourse.__version__
    assert (
        f"## [{holdcourse.__version__}] - {citation['date-released']}" in (root / "CHANGELOG.md").read_text()
    )


def test_the_licence_is_apache_2_everywhere(root: Path) -> None:
    licence = (root / "LICENSE").read_text()
    assert "Apache License" in licence
    assert "Version 2.0, January 2004" in licence
    assert "END OF TERMS AND CONDITIONS" in licence
    assert tomllib.loads((root / "pyproject.toml").read_text())["project"]["license"] == "Apache-2.0"
    assert yaml.safe_load((root / "CITATION.cff").read_text())["license"] == "Apache-2.0"


def test_the_citation_names_both_papers(root: Path) -> None:
    references = yaml.safe_load((root / "CITATION.cff").read_text())["references"]
    assert len(references) == 2
    assert all(reference["title"] and reference["authors"] and reference["year"] for reference in references)


def test_the_readme_carries_the_offline_label(root: Path) -> None:
    from holdcourse.report.setting import OFFLINE_LABEL

    assert OFFLINE_LABEL in " ".join((root / "README.md").read_text().split())
