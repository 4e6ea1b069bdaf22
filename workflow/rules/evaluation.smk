# What the instructions of the shift study are worth: evaluations, the zero-shot reference, audits, metrics.


rule evaluate:
    input:
        rules.protocol.output.protocol,
        f"{SHIFT}/{{arm}}/seed{{seed}}/batch{{checkpoint}}/instruction.md",
    output:
        evaluation=f"{SHIFT}/{{arm}}/seed{{seed}}/checkpoint{{checkpoint}}/evaluation.jsonl",
        provenance=f"{SHIFT}/{{arm}}/seed{{seed}}/checkpoint{{checkpoint}}/evaluation.provenance.json",
    log:
        f"{LOGS}/evaluate/{{arm}}-seed{{seed}}-checkpoint{{checkpoint}}.log",
    benchmark:
        f"{BENCHMARKS}/evaluate/{{arm}}-seed{{seed}}-checkpoint{{checkpoint}}.tsv"
    conda:
        "../envs/core.yaml"
    threads: 1
    resources:
        mem_mb=1500,
        runtime=480,
    params:
        stage="evaluate",
        config=slice_of("evaluate"),
        code=PARAMETERS.code("evaluate"),
        out=result_folder,
    message:
        "Evaluate checkpoint {wildcards.checkpoint} of {wildcards.arm}, seed {wildcards.seed}"
    script:
        "../scripts/run_stage.py"


rule reference:
    input:
        rules.protocol.output.protocol,
        PARAMETERS.instruction_files,
    output:
        instruction=f"{SHIFT}/reference/seed{{seed}}/instruction.md",
        evaluation=f"{SHIFT}/reference/seed{{seed}}/evaluation.jsonl",
        provenance=f"{SHIFT}/reference/seed{{seed}}/provenance.json",
    log:
        f"{LOGS}/reference/seed{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/reference/seed{{seed}}.tsv"
    conda:
        "../envs/core.yaml"
    threads: 1
    resources:
        mem_mb=1500,
        runtime=480,
    params:
        stage="reference",
        config=slice_of("reference"),
        code=PARAMETERS.code("reference"),
        out=result_folder,
    message:
        "Evaluate the zero-shot reference model, seed {wildcards.seed}"
    script:
        "../scripts/run_stage.py"


rule audit:
    input:
        multiext(f"{SHIFT}/{{arm}}/seed{{seed}}/batch{{checkpoint}}/", "instruction.md", "graph.json"),
    output:
        audit=f"{SHIFT}/{{arm}}/seed{{seed}}/checkpoint{{checkpoint}}/audit.json",
        ledger=f"{SHIFT}/{{arm}}/seed{{seed}}/checkpoint{{checkpoint}}/audit_ledger.jsonl",
        provenance=f"{SHIFT}/{{arm}}/seed{{seed}}/checkpoint{{checkpoint}}/audit.provenance.json",
    log:
        f"{LOGS}/audit/{{arm}}-seed{{seed}}-checkpoint{{checkpoint}}.log",
    benchmark:
        f"{BENCHMARKS}/audit/{{arm}}-seed{{seed}}-checkpoint{{checkpoint}}.tsv"
    conda:
        "../envs/core.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=60,
    params:
        stage="audit",
        config=slice_of("audit"),
        code=PARAMETERS.code("audit"),
        out=result_folder,
    message:
        "Audit checkpoint {wildcards.checkpoint} of {wildcards.arm}, seed {wildcards.seed}"
    script:
        "../scripts/run_stage.py"


rule metrics:
    input:
        expand(rules.protocol.output.protocol, seed=SEEDS),
        expand(rules.evaluate.output.evaluation, arm=ARMS, seed=SEEDS, checkpoint=CHECKPOINTS),
        expand(rules.reference.output.evaluation, seed=SEEDS),
    output:
        metrics=f"{SHIFT}/metrics.parquet",
        scores=f"{SHIFT}/task_scores.parquet",
        provenance=f"{SHIFT}/metrics.provenance.json",
    log:
        f"{LOGS}/metrics.log",
    benchmark:
        f"{BENCHMARKS}/metrics.tsv"
    conda:
        "../envs/core.yaml"
    threads: 1
    resources:
        mem_mb=1500,
        runtime=30,
    params:
        stage="metrics",
        config=slice_of("metrics"),
        code=PARAMETERS.code("metrics"),
        out=result_folder,
    message:
        "Compute reliability from all evaluations"
    script:
        "../scripts/run_stage.py"


rule shift:
    input:
        rules.metrics.output,
        expand(rules.audit.output.audit, arm=ARMS, seed=SEEDS, checkpoint=AUDITED),
