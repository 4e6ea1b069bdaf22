# The shift study, in the order data flows: task lists, ℓ_0, ten batches an arm and seed, evaluations, audits.


rule protocol:
    output:
        protocol=f"{SHIFT}/protocol/seed{{seed}}.json",
        provenance=f"{SHIFT}/protocol/seed{{seed}}.provenance.json",
    log:
        f"{LOGS}/protocol/seed{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/protocol/seed{{seed}}.tsv"
    conda:
        "../envs/core.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        stage="protocol",
        config=slice_of("protocol"),
        code=PARAMETERS.code("protocol"),
        out=result_folder,
    message:
        "Draw the tasks of seed {wildcards.seed}"
    script:
        "../scripts/run_stage.py"


rule initial:
    output:
        multiext(
            f"{SHIFT}/{{arm}}/seed{{seed}}/batch00/",
            "instruction.md",
            "graph.json",
            "layout.json",
            "edits.json",
            "ledger.jsonl",
            "provenance.json",
        ),
    log:
        f"{LOGS}/initial/{{arm}}-seed{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/initial/{{arm}}-seed{{seed}}.tsv"
    conda:
        "../envs/core.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=60,
    params:
        stage="initial",
        config=slice_of("initial"),
        code=PARAMETERS.code("initial"),
        out=result_folder,
    message:
        "Read ℓ_0 for {wildcards.arm}, seed {wildcards.seed}"
    script:
        "../scripts/run_stage.py"


rule evolve:
    input:
        rules.protocol.output.protocol,
        lambda wildcards: multiext(f"{before(wildcards)}/", "instruction.md", "graph.json", "layout.json"),
    output:
        multiext(
            f"{SHIFT}/{{arm}}/seed{{seed}}/batch{{batch}}/",
            "experience.jsonl",
            "observation.json",
            "edits.json",
            "analysis.json",
            "graph.json",
            "layout.json",
            "instruction.md",
            "ledger.jsonl",
            "provenance.json",
        ),
    log:
        f"{LOGS}/evolve/{{arm}}-seed{{seed}}-batch{{batch}}.log",
    benchmark:
        f"{BENCHMARKS}/evolve/{{arm}}-seed{{seed}}-batch{{batch}}.tsv"
    # Evolution is the longest chain of the study, so its jobs go first.
    priority: 10
    conda:
        "../envs/core.yaml"
    threads: 1
    resources:
        mem_mb=1500,
        runtime=240,
    params:
        stage="evolve",
        config=slice_of("evolve"),
        code=PARAMETERS.code("evolve"),
        out=result_folder,
    message:
        "Evolve {wildcards.arm}, seed {wildcards.seed}, batch {wildcards.batch}"
    script:
        "../scripts/run_stage.py"


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


rule sensitivity:
    output:
        scores=f"{SHIFT}/sensitivity/slope{{slope}}.parquet",
        provenance=f"{SHIFT}/sensitivity/slope{{slope}}.provenance.json",
    log:
        f"{LOGS}/sensitivity/slope{{slope}}.log",
    benchmark:
        f"{BENCHMARKS}/sensitivity/slope{{slope}}.tsv"
    conda:
        "../envs/core.yaml"
    threads: 1
    resources:
        mem_mb=1500,
        runtime=120,
    params:
        stage="sensitivity",
        config=slice_of("sensitivity"),
        code=PARAMETERS.code("sensitivity"),
        out=result_folder,
    message:
        "Run the smaller study with slope {wildcards.slope} of the competence curve"
    script:
        "../scripts/run_stage.py"


rule shift:
    input:
        rules.metrics.output,
        expand(rules.audit.output.audit, arm=ARMS, seed=SEEDS, checkpoint=AUDITED),
