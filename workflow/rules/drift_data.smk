# The drift study's data: drifted trajectories, and the prompts of the recovery graph over them.


rule trajectories:
    input:
        rules.world.output.world,
        rules.reversibility.output.rows,
    output:
        part=f"{DRIFT}/dataset/parts/{{split}}-{{shard}}.jsonl",
        provenance=f"{DRIFT}/dataset/parts/{{split}}-{{shard}}.provenance.json",
    log:
        f"{LOGS}/trajectories/{{split}}-{{shard}}.log",
    benchmark:
        f"{BENCHMARKS}/trajectories/{{split}}-{{shard}}.tsv"
    priority: 10
    conda:
        "../envs/core.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=240,
    params:
        stage="trajectories",
        config=slice_of("trajectories"),
        code=PARAMETERS.code("trajectories"),
        out=result_folder,
    message:
        "Push agents off task: {wildcards.split}, shard {wildcards.shard}"
    script:
        "../scripts/run_stage.py"


rule dataset:
    input:
        rules.world.output.world,
        rules.reversibility.output.rows,
        expand(rules.trajectories.output.part, split=SPLITS, shard=SHARDS),
    output:
        expand(f"{DRIFT}/dataset/{{split}}.jsonl", split=SPLITS),
        card=f"{DRIFT}/dataset/README.md",
        summary=f"{DRIFT}/dataset/summary.json",
        provenance=f"{DRIFT}/dataset/provenance.json",
    log:
        f"{LOGS}/dataset.log",
    benchmark:
        f"{BENCHMARKS}/dataset.tsv"
    conda:
        "../envs/core.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        stage="dataset",
        config=slice_of("dataset"),
        code=PARAMETERS.code("dataset"),
        out=result_folder,
    message:
        "Check and put together the drift dataset"
    script:
        "../scripts/run_stage.py"


rule prompts:
    input:
        expand(f"{DRIFT}/dataset/{{split}}.jsonl", split=SPLITS),
        rules.reversibility.output.rows,
        rules.reversibility.output.documentation,
    output:
        expand(f"{DRIFT}/prompts/{{split}}.jsonl", split=SPLITS),
        card=f"{DRIFT}/prompts/README.md",
        provenance=f"{DRIFT}/prompts/provenance.json",
    log:
        f"{LOGS}/prompts.log",
    benchmark:
        f"{BENCHMARKS}/prompts.tsv"
    conda:
        "../envs/core.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        stage="prompts",
        config=slice_of("prompts"),
        code=PARAMETERS.code("prompts"),
        out=result_folder,
    message:
        "Ask of every trajectory what the recovery graph would ask"
    script:
        "../scripts/run_stage.py"


rule dataset_figures:
    input:
        expand(f"{DRIFT}/dataset/{{split}}.jsonl", split=SPLITS),
    output:
        expand(f"{OUT}/figures/drift_dataset.{{kind}}", kind=STUDY.report.formats),
        provenance=f"{OUT}/figures/drift_dataset.provenance.json",
    log:
        f"{LOGS}/dataset_figures.log",
    benchmark:
        f"{BENCHMARKS}/dataset_figures.tsv"
    conda:
        "../envs/core.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        stage="dataset_figures",
        config=slice_of("dataset_figures"),
        code=PARAMETERS.code("dataset_figures"),
        out=result_folder,
    message:
        "Draw the drift dataset"
    script:
        "../scripts/run_stage.py"


rule track_dataset:
    input:
        rules.dataset.output,
        rules.prompts.output,
        rules.dataset_figures.output,
        rules.validation.output.rows,
    output:
        record=f"{OUT}/tracking/drift-data.json",
        provenance=f"{OUT}/tracking/drift-data.provenance.json",
    log:
        f"{LOGS}/track_dataset.log",
    benchmark:
        f"{BENCHMARKS}/track_dataset.tsv"
    conda:
        "../envs/core.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        stage="track_dataset",
        config=slice_of("track_dataset"),
        code=PARAMETERS.code("track_dataset"),
        out=result_folder,
    message:
        "Record the drift dataset for Weights & Biases"
    script:
        "../scripts/run_stage.py"


# A rule's own name cannot hold the hyphen that the target has.
rule:
    name:
        "drift-data"
    input:
        rules.track_dataset.output,
