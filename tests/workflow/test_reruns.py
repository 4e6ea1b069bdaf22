"""An edit reruns exactly what it touches, in one call; nothing edited, nothing rerun."""

REPORTS = {"tables", "figures", "report", "track", "track_report"}


def remark(edit, name):
    """Put a comment under the imports of a module."""
    future = "from __future__ import annotations\n"
    edit(name, future, f"{future}\n# a remark\n")


def test_a_second_call_does_nothing(finished):
    assert not finished.planned().rules


def test_a_key_of_one_arm_reruns_that_arm_and_what_depends_on_it(edited):
    clone, edit = edited
    edit("conf/arm/hce.yaml", "reply_attempts: 3", "reply_attempts: 4")
    plan = clone.planned()
    assert plan.arms == {"hce"}
    assert plan.rules == {"initial", "evolve", "evaluate", "audit", "sensitivity", "metrics"} | REPORTS


def test_the_printed_name_of_an_arm_reruns_no_simulation(edited):
    clone, edit = edited
    edit("conf/arm/hce.yaml", "label: HCE", "label: holistic")
    assert clone.planned().rules == {"tables", "figures", "report", "track_report"}


def test_a_plotting_key_redraws_and_nothing_else(edited):
    clone, edit = edited
    edit("conf/report/default.yaml", "dpi: 200", "dpi: 100")
    assert clone.planned().rules == {"figures", "report", "track_report"}


def test_a_comment_in_evolution_reruns_its_users(edited):
    clone, edit = edited
    remark(edit, "src/holdcourse/evolution/graph.py")
    plan = clone.planned()
    assert plan.rules == {"initial", "evolve", "evaluate", "audit", "sensitivity", "metrics"} | REPORTS
    assert plan.arms == {"grace", "hce"}


def test_a_comment_in_the_report_reruns_no_simulation(edited):
    clone, edit = edited
    for name in ("tables", "trajectories"):
        remark(edit, f"src/holdcourse/report/{name}.py")
    assert clone.planned().rules == {"tables", "figures", "report", "track_report"}


def test_the_tracking_mode_concerns_tracking_only(edited):
    clone, edit = edited
    edit("conf/tracking/wandb.yaml", "mode: offline", "mode: disabled")
    assert clone.planned().rules == {"track", "track_report"}


def test_an_auditors_key_concerns_audits_and_what_shows_them(edited):
    clone, edit = edited
    edit("conf/audit/paper.yaml", "reply_attempts: 3", "reply_attempts: 2")
    assert clone.planned().rules == {"audit", "tables", "figures", "report", "track_report"}


def test_an_unknown_study_is_one_clear_line(finished):
    done = finished.snakemake("--dry-run", study="smok")
    assert done.returncode != 0
    assert "unknown study 'smok'" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_an_unknown_setting_is_refused(finished):
    done = finished.snakemake("--dry-run", overrides="protocol.bathces=1")
    assert done.returncode != 0
    assert "protocol.bathces" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
