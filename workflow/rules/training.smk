# One small policy, five roles, trained with GRPO; the audit of its judge.


rule train:
    input:
        f"{DRIFT}/prompts/train.jsonl",
    output:
        adapter=f"{DRIFT}/training/{{policy_model}}/seed{{seed}}/adapter/adapter_model.safetensors",
        adapter_config=f"{DRIFT}/training/{{policy_model}}/seed{{seed}}/adapter/adapter_config.json",
        curve=f"{DRIFT}/training/{{policy_model}}/seed{{seed}}/curve.jsonl",
        completions=f"{DRIFT}/training/{{policy_model}}/seed{{seed}}/completions.jsonl",
        record=f"{DRIFT}/training/{{policy_model}}/seed{{seed}}/training.json",
        card=f"{DRIFT}/training/{{policy_model}}/seed{{seed}}/README.md",
        provenance=f"{DRIFT}/training/{{policy_model}}/seed{{seed}}/provenance.json",
    log:
        f"{LOGS}/train/{{policy_model}}-seed{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/train/{{policy_model}}-seed{{seed}}.tsv"
    # The longest job of the study goes first.
    priority: 30
    conda:
        "../envs/training.yaml"
    threads: 1
    resources:
        mem_mb=6000,
        runtime=240,
    params:
        stage="train",
        config=slice_of("train"),
        code=code_of("train"),
        out=result_folder,
    message:
        "Train {wildcards.policy_model}, seed {wildcards.seed}"
    script:
        "../scripts/run_stage.py"


rule judge_audit:
    input:
        f"{DRIFT}/prompts/train.jsonl",
        rules.train.output.completions,
    output:
        rows=f"{DRIFT}/training/{{policy_model}}/seed{{seed}}/judge_audit.json",
        page=f"{DRIFT}/training/{{policy_model}}/seed{{seed}}/judge_audit.md",
        provenance=f"{DRIFT}/training/{{policy_model}}/seed{{seed}}/judge_audit.provenance.json",
    log:
        f"{LOGS}/judge_audit/{{policy_model}}-seed{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/judge_audit/{{policy_model}}-seed{{seed}}.tsv"
    conda:
        "../envs/training.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        stage="judge_audit",
        config=slice_of("judge_audit"),
        code=PARAMETERS.code("judge_audit"),
        out=result_folder,
    message:
        "Audit the judge over the training of {wildcards.policy_model}, seed {wildcards.seed}"
    script:
        "../scripts/run_stage.py"


rule track_training:
    input:
        rules.train.output,
    output:
        record=f"{OUT}/tracking/training-{{policy_model}}-seed{{seed}}.json",
        provenance=f"{OUT}/tracking/training-{{policy_model}}-seed{{seed}}.provenance.json",
    log:
        f"{LOGS}/track_training/{{policy_model}}-seed{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/track_training/{{policy_model}}-seed{{seed}}.tsv"
    conda:
        "../envs/training.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        stage="track_training",
        config=slice_of("track_training"),
        code=PARAMETERS.code("track_training"),
        out=result_folder,
    message:
        "Record the training of {wildcards.policy_model}, seed {wildcards.seed} for Weights & Biases"
    script:
        "../scripts/run_stage.py"
