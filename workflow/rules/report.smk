# From metrics to what people read: tables, figures and the report page.

from holdcourse.report.names import SHIFT_TABLES, TABLE_FORMATS, figure_names

SHIFT_FIGURES = figure_names(swept=bool(SLOPES))

RESULTS_TO_REPORT = [
    *rules.metrics.output,
    *expand(rules.audit.output.audit, arm=ARMS, seed=SEEDS, checkpoint=AUDITED),
    *expand(
        f"{SHIFT}/{{arm}}/seed{{seed}}/batch{{batch}}/{{name}}",
        arm=ARMS,
        seed=SEEDS,
        batch=CHECKPOINTS,
        name=("instruction.md", "graph.json"),
    ),
    *expand(
        f"{SHIFT}/{{arm}}/seed{{seed}}/batch{{batch}}/analysis.json",
        arm=ARMS,
        seed=SEEDS,
        batch=CHECKPOINTS[1:],
    ),
]
SWEEP = expand(rules.sensitivity.output.scores, arm=ARMS, slope=SLOPES)


rule tables:
    input:
        RESULTS_TO_REPORT,
    output:
        expand(f"{OUT}/tables/{{name}}.{{kind}}", name=SHIFT_TABLES, kind=TABLE_FORMATS),
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
        SWEEP,
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
        RESULTS_TO_REPORT,
        SWEEP,
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
