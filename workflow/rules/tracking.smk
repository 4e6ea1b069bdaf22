# Runs for Weights & Biases, offline by default. Nothing reads them back.


rule track:
    input:
        rules.metrics.output.metrics,
        lambda wildcards: expand(
            f"{SHIFT}/{wildcards.arm}/seed{wildcards.seed}/batch{{batch}}/{{name}}",
            batch=CHECKPOINTS,
            name=("graph.json", "instruction.md"),
        ),
        lambda wildcards: expand(
            f"{SHIFT}/{wildcards.arm}/seed{wildcards.seed}/batch{{batch}}/analysis.json",
            batch=CHECKPOINTS[1:],
        ),
    output:
        f"{OUT}/tracking/{{arm}}-seed{{seed}}.json",
        f"{OUT}/tracking/{{arm}}-seed{{seed}}.provenance.json",
    log:
        f"{LOGS}/track/{{arm}}-seed{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/track/{{arm}}-seed{{seed}}.tsv"
    conda:
        "../envs/core.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        stage="track",
        config=slice_of("track"),
        code=PARAMETERS.code("track"),
        out=result_folder,
    message:
        "Record {wildcards.arm}, seed {wildcards.seed} for Weights & Biases"
    script:
        "../scripts/run_stage.py"


rule track_report:
    input:
        rules.tables.output,
        rules.figures.output,
    output:
        f"{OUT}/tracking/report.json",
        f"{OUT}/tracking/report.provenance.json",
    log:
        f"{LOGS}/track_report.log",
    benchmark:
        f"{BENCHMARKS}/track_report.tsv"
    conda:
        "../envs/core.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        stage="track_report",
        config=slice_of("track_report"),
        code=PARAMETERS.code("track_report"),
        out=result_folder,
    message:
        "Record tables and figures for Weights & Biases"
    script:
        "../scripts/run_stage.py"


rule tracking:
    input:
        f"{OUT}/tracking/report.json",
        expand(f"{OUT}/tracking/{{arm}}-seed{{seed}}.json", arm=ARMS, seed=SEEDS),
