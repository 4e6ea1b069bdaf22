# Drifted runs, and what the recovery graph makes of them with each backbone.


rule drifted:
    input:
        rules.world.output.world,
        rules.reversibility.output.rows,
        f"{DRIFT}/dataset/heldout.jsonl",
    output:
        drift=f"{END_TO_END}/drift.jsonl",
        no_drift=f"{END_TO_END}/no_drift.jsonl",
        resisted=f"{END_TO_END}/resisted.jsonl",
        provenance=f"{END_TO_END}/drift.provenance.json",
    log:
        f"{LOGS}/drifted/{{drift_type}}-{{main_agent}}.log",
    benchmark:
        f"{BENCHMARKS}/drifted/{{drift_type}}-{{main_agent}}.tsv"
    conda:
        "../envs/core.yaml"
    threads: 1
    resources:
        mem_mb=2500,
        runtime=60,
    params:
        stage="drifted",
        config=slice_of("drifted"),
        code=PARAMETERS.code("drifted"),
        out=result_folder,
    message:
        "Let the {wildcards.main_agent} agent drift (type {wildcards.drift_type}), and work undisturbed"
    script:
        "../scripts/run_stage.py"


rule episodes:
    input:
        rules.world.output.world,
        rules.reversibility.output.rows,
        rules.reversibility.output.documentation,
        rules.drifted.output.drift,
        adapter_of,
    output:
        episodes=f"{END_TO_END}/{{backbone}}.jsonl",
        provenance=f"{END_TO_END}/{{backbone}}.provenance.json",
    log:
        f"{LOGS}/episodes/{{drift_type}}-{{main_agent}}-{{backbone}}.log",
    benchmark:
        f"{BENCHMARKS}/episodes/{{drift_type}}-{{main_agent}}-{{backbone}}.tsv"
    wildcard_constraints:
        backbone=BACKBONES,
    conda:
        "../envs/training.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=240,
    params:
        stage="episodes",
        config=slice_of("episodes"),
        code=code_of("episodes"),
        out=result_folder,
    message:
        "Recover type {wildcards.drift_type}, {wildcards.main_agent} agent, by {wildcards.backbone}"
    script:
        "../scripts/run_stage.py"


rule onset_walks:
    input:
        rules.reversibility.output.rows,
        rules.reversibility.output.documentation,
        rules.drifted.output.drift,
        adapter_of,
    output:
        walks=f"{DRIFT}/onset/{{drift_type}}/{{main_agent}}/{{backbone}}.jsonl",
        provenance=f"{DRIFT}/onset/{{drift_type}}/{{main_agent}}/{{backbone}}.provenance.json",
    log:
        f"{LOGS}/onset/{{drift_type}}-{{main_agent}}-{{backbone}}.log",
    benchmark:
        f"{BENCHMARKS}/onset/{{drift_type}}-{{main_agent}}-{{backbone}}.tsv"
    wildcard_constraints:
        backbone=BACKBONES,
    conda:
        "../envs/training.yaml"
    threads: 1
    resources:
        mem_mb=3000,
        runtime=120,
    params:
        stage="onset_walks",
        config=slice_of("onset_walks"),
        code=code_of("onset_walks"),
        out=result_folder,
    message:
        "Walk type {wildcards.drift_type} by {wildcards.backbone} from wrong suspicions"
    script:
        "../scripts/run_stage.py"


rule injection_walks:
    input:
        adapter_of,
    output:
        record=f"{DRIFT}/injection/{{backbone}}.json",
        provenance=f"{DRIFT}/injection/{{backbone}}.provenance.json",
    log:
        f"{LOGS}/injection/{{backbone}}.log",
    benchmark:
        f"{BENCHMARKS}/injection/{{backbone}}.tsv"
    wildcard_constraints:
        backbone=BACKBONES,
    conda:
        "../envs/training.yaml"
    threads: 1
    resources:
        mem_mb=3000,
        runtime=120,
    params:
        stage="injection_walks",
        config=slice_of("injection_walks"),
        code=code_of("injection_walks"),
        out=result_folder,
    message:
        "Try texts that address the recovery model against {wildcards.backbone}"
    script:
        "../scripts/run_stage.py"
