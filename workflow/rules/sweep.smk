# The shift study again, smaller, along the competence curve of the offline language model.


rule sensitivity:
    input:
        PARAMETERS.instruction_files,
    output:
        scores=f"{SHIFT}/sensitivity/{{arm}}/slope{{slope}}.parquet",
        provenance=f"{SHIFT}/sensitivity/{{arm}}/slope{{slope}}.provenance.json",
    log:
        f"{LOGS}/sensitivity/{{arm}}-slope{{slope}}.log",
    benchmark:
        f"{BENCHMARKS}/sensitivity/{{arm}}-slope{{slope}}.tsv"
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
        "Sweep competence: {wildcards.arm}, slope {wildcards.slope}"
    script:
        "../scripts/run_stage.py"
