# End-to-end recovery: drifted runs, the graph's walks, second runs, Tables 2-4 and their extensions.


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
        code=PARAMETERS.code("episodes"),
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
        code=PARAMETERS.code("onset_walks"),
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
        code=PARAMETERS.code("injection_walks"),
        out=result_folder,
    message:
        "Try texts that address the recovery model against {wildcards.backbone}"
    script:
        "../scripts/run_stage.py"


rule drift_metrics:
    input:
        rules.reversibility.output.rows,
        episode_files(),
        episode_files("drift"),
        episode_files("no_drift"),
        episode_files("resisted"),
        onset_files(),
    output:
        metrics=f"{DRIFT}/metrics.parquet",
        onset=f"{DRIFT}/onset_sensitivity.parquet",
        provenance=f"{DRIFT}/metrics.provenance.json",
    log:
        f"{LOGS}/drift_metrics.log",
    benchmark:
        f"{BENCHMARKS}/drift_metrics.tsv"
    conda:
        "../envs/core.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        stage="drift_metrics",
        config=slice_of("drift_metrics"),
        code=PARAMETERS.code("drift_metrics"),
        out=result_folder,
    message:
        "Measure the recovery"
    script:
        "../scripts/run_stage.py"


rule drift_tables:
    input:
        rules.drift_metrics.output.metrics,
        rules.drift_metrics.output.onset,
        expand(f"{DRIFT}/injection/{{backbone}}.json", backbone=STUDY.end_to_end.injection.backbones),
    output:
        expand(f"{OUT}/tables/{{table}}.{{kind}}", table=RECOVERY_TABLES, kind=TABLE_FORMATS),
        expand(f"{OUT}/figures/{{figure}}.{{kind}}", figure=RECOVERY_FIGURES, kind=STUDY.report.formats),
        f"{DRIFT}/injection_suite.json",
        f"{DRIFT}/injection_suite.md",
        provenance=f"{DRIFT}/tables.provenance.json",
    log:
        f"{LOGS}/drift_tables.log",
    benchmark:
        f"{BENCHMARKS}/drift_tables.tsv"
    conda:
        "../envs/core.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        stage="drift_tables",
        config=slice_of("drift_tables"),
        code=PARAMETERS.code("drift_tables"),
        out=result_folder,
    message:
        "Write Tables 2-4 and their extensions"
    script:
        "../scripts/run_stage.py"


rule track_drift:
    input:
        rules.drift_metrics.output.metrics,
        rules.drift_metrics.output.onset,
        rules.drift_tables.output,
    output:
        record=f"{OUT}/tracking/drift.json",
        provenance=f"{OUT}/tracking/drift.provenance.json",
    log:
        f"{LOGS}/track_drift.log",
    benchmark:
        f"{BENCHMARKS}/track_drift.tsv"
    conda:
        "../envs/core.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        stage="track_drift",
        config=slice_of("track_drift"),
        code=PARAMETERS.code("track_drift"),
        out=result_folder,
    message:
        "Record the recovery for Weights & Biases"
    script:
        "../scripts/run_stage.py"


rule drift:
    input:
        rules.track_drift.output,
