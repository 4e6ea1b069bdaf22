# How the instructions of the shift study come about: task lists, ℓ_0, and the batches of each arm and seed.


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
    input:
        PARAMETERS.instruction_files,
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
