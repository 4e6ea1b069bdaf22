# From metrics to what people read: tables, figures, the report page, and runs for Weights & Biases.

SHIFT_TABLES = (
    "shift_reliability",
    "shift_transfer",
    "shift_failure_modes",
    "shift_reference",
    "claims",
)
SHIFT_FIGURES = (
    "shift_trajectories",
    "shift_transfer_cycles",
    "shift_size",
    *(["shift_competence"] if SLOPES else []),
)

RESULTS_TO_REPORT = [
    *rules.metrics.output,
    *expand(rules.audit.output.audit, arm=ARMS, seed=SEEDS, checkpoint=AUDITED),
    *expand(
        f"{SHIFT}/{{arm}}/seed{{seed}}/batch{{batch}}/instruction.md", arm=ARMS, seed=SEEDS, batch=CHECKPOINTS
    ),
    *expand(
        f"{SHIFT}/{{arm}}/seed{{seed}}/batch{{batch}}/analysis.json",
        arm=ARMS,
        seed=SEEDS,
        batch=CHECKPOINTS[1:],
    ),
]


rule tables:
    input:
        RESULTS_TO_REPORT,
    output:
        expand(f"{OUT}/tables/{{name}}.{{kind}}", name=SHIFT_TABLES, kind=("csv", "md", "tex")),
        f"{OUT}/tables/provenance.json",
    log:
        f"{LOGS}/tables.log",
    benchmark:
        f"{BENCHMARKS}/tables.tsv"
    conda:
        "../envs/core.yaml"
    threads: 1
    resources:
        mem_mb=1500,
        runtime=30,
    params:
        stage="tables",
        config=slice_of("tables"),
        code=PARAMETERS.code("tables"),
        out=result_folder,
    message:
        "Write the tables"
    script:
        "../scripts/run_stage.py"


rule figures:
    input:
        RESULTS_TO_REPORT,
        expand(rules.sensitivity.output.scores, slope=SLOPES),
    output:
        expand(f"{OUT}/figures/{{name}}.{{kind}}", name=SHIFT_FIGURES, kind=STUDY.report.formats),
        f"{OUT}/figures/provenance.json",
    log:
        f"{LOGS}/figures.log",
    benchmark:
        f"{BENCHMARKS}/figures.tsv"
    conda:
        "../envs/core.yaml"
    threads: 1
    resources:
        mem_mb=1500,
        runtime=30,
    params:
        stage="figures",
        config=slice_of("figures"),
        code=PARAMETERS.code("figures"),
        out=result_folder,
    message:
        "Draw the figures"
    script:
        "../scripts/run_stage.py"


rule report:
    input:
        rules.tables.output,
        rules.figures.output,
    output:
        f"{OUT}/report.html",
        f"{OUT}/report.provenance.json",
    log:
        f"{LOGS}/report.log",
    benchmark:
        f"{BENCHMARKS}/report.tsv"
    conda:
        "../envs/core.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        stage="report",
        config=slice_of("report"),
        code=PARAMETERS.code("report"),
        out=result_folder,
    message:
        "Write the report page"
    script:
        "../scripts/run_stage.py"


rule track:
    input:
        rules.metrics.output.metrics,
        lambda wildcards: expand(
            f"{SHIFT}/{wildcards.arm}/seed{wildcards.seed}/batch{{batch}}/{{name}}",
            batch=CHECKPOINTS[1:],
            name=("graph.json", "instruction.md", "analysis.json"),
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


rule tracking:
    input:
        expand(f"{OUT}/tracking/{{arm}}-seed{{seed}}.json", arm=ARMS, seed=SEEDS),
