# Answers to the held-out prompts before and after training: Tables 1 and 5, Figures 3-7 of the drift study.


rule intrinsic_base:
    input:
        f"{DRIFT}/prompts/heldout.jsonl",
    output:
        completions=f"{DRIFT}/intrinsic/{{policy_model}}/seed{{seed}}/base.jsonl",
        provenance=f"{DRIFT}/intrinsic/{{policy_model}}/seed{{seed}}/base.provenance.json",
    log:
        f"{LOGS}/intrinsic/{{policy_model}}-seed{{seed}}-base.log",
    benchmark:
        f"{BENCHMARKS}/intrinsic/{{policy_model}}-seed{{seed}}-base.tsv"
    conda:
        "../envs/training.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=120,
    params:
        stage="intrinsic",
        config=slice_of("intrinsic", variant="base"),
        code=code_of("intrinsic", variant="base"),
        out=result_folder,
    message:
        "Ask {wildcards.policy_model} the held-out prompts before training, seed {wildcards.seed}"
    script:
        "../scripts/run_stage.py"


rule intrinsic_trained:
    input:
        f"{DRIFT}/prompts/heldout.jsonl",
        rules.train.output,
    output:
        completions=f"{DRIFT}/intrinsic/{{policy_model}}/seed{{seed}}/trained.jsonl",
        provenance=f"{DRIFT}/intrinsic/{{policy_model}}/seed{{seed}}/trained.provenance.json",
    log:
        f"{LOGS}/intrinsic/{{policy_model}}-seed{{seed}}-trained.log",
    benchmark:
        f"{BENCHMARKS}/intrinsic/{{policy_model}}-seed{{seed}}-trained.tsv"
    conda:
        "../envs/training.yaml"
    threads: 2
    resources:
        mem_mb=4000,
        runtime=120,
    params:
        stage="intrinsic",
        config=slice_of("intrinsic", variant="trained"),
        code=code_of("intrinsic", variant="trained"),
        out=result_folder,
    message:
        "Ask {wildcards.policy_model} the held-out prompts after training, seed {wildcards.seed}"
    script:
        "../scripts/run_stage.py"


rule intrinsic_report:
    input:
        f"{DRIFT}/prompts/heldout.jsonl",
        expand(rules.train.output.record, policy_model=POLICIES, seed=TRAINING_SEEDS),
        expand(rules.intrinsic_base.output.completions, policy_model=POLICIES, seed=TRAINING_SEEDS),
        expand(rules.intrinsic_trained.output.completions, policy_model=POLICIES, seed=TRAINING_SEEDS),
    output:
        expand(f"{OUT}/tables/{{name}}.{{kind}}", name=INTRINSIC_TABLES, kind=TABLE_FORMATS),
        expand(f"{OUT}/figures/{{name}}.{{kind}}", name=INTRINSIC_FIGURES, kind=STUDY.report.formats),
        expand(
            f"{DRIFT}/training/{{policy_model}}/seed{{seed}}/evaluation.md",
            policy_model=POLICIES,
            seed=TRAINING_SEEDS,
        ),
        examples=f"{DRIFT}/intrinsic/examples.html",
        provenance=f"{DRIFT}/intrinsic/report.provenance.json",
    log:
        f"{LOGS}/intrinsic_report.log",
    benchmark:
        f"{BENCHMARKS}/intrinsic_report.tsv"
    conda:
        "../envs/training.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        stage="intrinsic_report",
        config=slice_of("intrinsic_report"),
        code=PARAMETERS.code("intrinsic_report"),
        out=result_folder,
    message:
        "Make Tables 1 and 5, Figures 3-7 and each adapter's evaluation.md of the drift study"
    script:
        "../scripts/run_stage.py"


rule training:
    input:
        rules.intrinsic_report.output,
        expand(rules.judge_audit.output, policy_model=POLICIES, seed=TRAINING_SEEDS),
        expand(rules.track_training.output, policy_model=POLICIES, seed=TRAINING_SEEDS),
