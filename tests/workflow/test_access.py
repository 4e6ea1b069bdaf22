"""Before the first job a study says which keys it needs, and stops if one is missing."""

import pytest

from tests.workflow.conftest import TINY, Clone, copy_sources


@pytest.fixture
def clone(tmp_path, monkeypatch) -> Clone:
    """Fresh sources, and an environment without keys."""
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "HOSTED_VLLM_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    return copy_sources(tmp_path)


def test_a_missing_key_ends_a_study_before_its_first_job(clone):
    done = clone.snakemake(study="paper", overrides=TINY)
    assert done.returncode != 0
    assert "not set in the environment: GEMINI_API_KEY or GOOGLE_API_KEY for gemini/" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (clone.root / "results").exists()


def test_a_dry_run_needs_no_key(clone):
    assert "evaluate" in clone.snakemake("--dry-run", study="paper", overrides=TINY).stdout


def test_a_model_without_a_server_ends_a_study_before_its_first_job(clone):
    done = clone.snakemake(study="local", overrides=f"{TINY} serving=none")
    assert done.returncode != 0
    assert "no server is named for it and none is started" in done.stderr
    assert not (clone.root / "results").exists()


def test_jobs_that_ask_no_model_need_no_key(clone):
    wanted = "results/paper/shift/protocol/seed0.json"
    done = clone.snakemake(wanted, study="paper", overrides=TINY)
    assert done.returncode == 0, done.stderr
    assert (clone.root / wanted).exists()
