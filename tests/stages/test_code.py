"""The code digest follows imports, also those inside functions, and sees templates."""

import shutil

import pytest

from holdcourse.stages import code


def test_a_stage_reaches_what_it_imports_and_not_what_it_does_not():
    evaluate = code.reachable("holdcourse.stages.evaluate")
    assert {"holdcourse.telecom.rollout", "holdcourse.simulated.provider", "holdcourse.journal"} <= evaluate
    assert not any(name.startswith(("holdcourse.evolution", "holdcourse.report")) for name in evaluate)


def test_evolution_reaches_its_own_room():
    assert "holdcourse.evolution.graph" in code.reachable("holdcourse.stages.evolve")


def test_a_module_outside_the_package_is_refused():
    with pytest.raises(ModuleNotFoundError):
        code.code_digest("holdcourse.nowhere")


@pytest.fixture
def copied_package(tmp_path, monkeypatch):
    root = tmp_path / "holdcourse"
    shutil.copytree(code.ROOT, root, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(code, "ROOT", root)
    code._imports.cache_clear()
    yield root
    code._imports.cache_clear()


def test_a_comment_in_a_used_module_changes_the_digest_of_its_users_only(copied_package):
    before = {stage: code.code_digest(f"holdcourse.stages.{stage}") for stage in ("evolve", "evaluate")}
    with (copied_package / "evolution" / "graph.py").open("a", encoding="utf-8") as stream:
        stream.write("# a remark\n")
    after = {stage: code.code_digest(f"holdcourse.stages.{stage}") for stage in before}
    assert after["evolve"] != before["evolve"]
    assert after["evaluate"] == before["evaluate"]


def test_an_edited_template_changes_the_digest(copied_package):
    before = code.code_digest("holdcourse.stages.evolve")
    template = next((copied_package / "evolution").rglob("*.j2"))
    template.write_text(template.read_text(encoding="utf-8") + " ", encoding="utf-8")
    assert code.code_digest("holdcourse.stages.evolve") != before
