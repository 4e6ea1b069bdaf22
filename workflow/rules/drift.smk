# What the recovery comes to: metrics, Tables 2-4 and their extensions.


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
