# The AppWorld world of the drift study, and what is measured of it.


rule world:
    output:
        world=f"{DRIFT}/world/world.json",
        provenance=f"{DRIFT}/world/world.provenance.json",
    log:
        f"{LOGS}/world.log",
    benchmark:
        f"{BENCHMARKS}/world.tsv"
    conda:
        "../envs/core.yaml"
    threads: 2
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        stage="world",
        config=slice_of("world"),
        code=PARAMETERS.code("world"),
        out=result_folder,
    message:
        "Build the AppWorld world, unless it is in the cache"
    script:
        "../scripts/run_stage.py"


rule validation:
    input:
        rules.world.output.world,
    output:
        rows=f"{DRIFT}/world/validation.json",
        table=f"{DRIFT}/world/validation.md",
        provenance=f"{DRIFT}/world/validation.provenance.json",
    log:
        f"{LOGS}/validation.log",
    benchmark:
        f"{BENCHMARKS}/validation.tsv"
    conda:
        "../envs/core.yaml"
    threads: 2
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        stage="validation",
        config=slice_of("validation"),
        code=PARAMETERS.code("validation"),
        out=result_folder,
    message:
        "Run every task with its solution, with nothing and with another's solution"
    script:
        "../scripts/run_stage.py"


rule reversibility:
    input:
        rules.world.output.world,
    output:
        rows=f"{DRIFT}/world/reversibility.json",
        table=f"{DRIFT}/world/reversibility.md",
        documentation=f"{DRIFT}/world/documentation.json",
        provenance=f"{DRIFT}/world/reversibility.provenance.json",
    log:
        f"{LOGS}/reversibility.log",
    benchmark:
        f"{BENCHMARKS}/reversibility.tsv"
    # Trajectories wait for it.
    priority: 20
    conda:
        "../envs/core.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=30,
    params:
        stage="reversibility",
        config=slice_of("reversibility"),
        code=PARAMETERS.code("reversibility"),
        out=result_folder,
    message:
        "Measure which writes can be undone"
    script:
        "../scripts/run_stage.py"
