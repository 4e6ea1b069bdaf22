# Which files the end-to-end recovery consists of, read off conf/end_to_end/.
from holdcourse.report.recovery_names import RECOVERY_FIGURES, RECOVERY_TABLES

CELLS = STUDY.end_to_end.cells
END_TO_END = f"{DRIFT}/episodes/{{drift_type}}/{{main_agent}}"
BACKBONES = "rules|oracle|frontier|untrained|trained"


def episode_files(name=None):
    """Episodes of every cell: those of all its backbones, or the file of that name."""
    return [
        f"{DRIFT}/episodes/{cell.drift_type}/{cell.main_agent}/{one}.jsonl"
        for cell in CELLS
        for one in ([name] if name else cell.backbones)
    ]


def onset_files():
    """Walks under wrong suspicions: the large agent's runs, each backbone that is tried."""
    return [
        f"{DRIFT}/onset/{cell.drift_type}/{cell.main_agent}/{backbone}.jsonl"
        for cell in CELLS
        if cell.main_agent == "large"
        for backbone in STUDY.end_to_end.onset_backbones
    ]


def adapter_of(wildcards):
    """The trained weights, where the backbone is the trained model."""
    folder = f"{DRIFT}/training/{STUDY.policy_model.name}/seed{TRAINING_SEEDS[0]}/adapter"
    files = [f"{folder}/adapter_config.json", f"{folder}/adapter_model.safetensors"]
    return files if wildcards.backbone == "trained" else []
