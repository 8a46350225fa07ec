"""Initial conditions -> direct sums -> runs -> tables; measurements of gothic bench.

The path of a run tells its parameters. A job makes several runs, one after the other, each with the
force evaluation that is compared with the direct sums and its row of the table.
"""

CODE = code()
RUNS = runs_by_path(config["runs"], run_defaults())
IS_PART = bool(config["runs"]["only"])
REFERENCE = config.get("reference")
BENCHES = {bench["word"]: bench for bench in config["benches"]}
BENCH_TABLES = [f"{STUDY}/bench_{word}.csv" for word in BENCHES]
DRAWN = figures_of(config, list(all_runs(config, run_defaults()).values()))
# Tables of the models that runs left to themselves are compared with.
CHECKS = {
    check_of(run)
    for figure in DRAWN
    if figure["kind"] == "equilibrium"
    for run in chosen_runs(figure, list(RUNS.values()))
}
SAMPLE = f"{STUDY}/ic/{{sample}}"
SNAPSHOTS = {True: "kept", False: "none"}.get(config["snapshots"], config["snapshots"])
# A program that a killed workflow has started ends with it.
TIED = "exec setpriv --pdeathsig KILL"
JOBS = jobs_of_runs()
# A job is made again if one of its runs was removed. Jobs elsewhere may not see all files yet.
for job, runs in JOBS.items():
    rows = [Path(f"{STUDY}/runs/{run}/run.json") for run in runs]
    if not workflow.remote_exec and not all(row.exists() for row in rows):
        Path(f"{STUDY}/runs/{job}.done").unlink(missing_ok=True)


wildcard_constraints:
    sample=r"(model|input)~.+",
    pull=r"softening~[^/]+(/external~[^/]+)?",
    job=r"[A-Za-z0-9_]+-[a-z0-9]+(-\d+ranks)?-\d+",
    model=r"model~.+",
    word="|".join(BENCHES) or "none",


localrules:
    changed_model,
    listing,
    tables,


rule changed_model:
    """A model in which keys are changed, as the path tells."""
    input:
        model=lambda wildcards: str(file_of(parameters_in(wildcards.model)["model"])),
    output:
        f"{STUDY}/ic/{{model}}/model.toml",
    log:
        f"{STUDY}/ic/{{model}}/model.log",
    conda:
        "../../config/environment.yaml"
    shell:
        "python -m analysis.study.model_files {output} > {log} 2>&1"


rule initial_conditions:
    input:
        generator,
        lambda wildcards: tables_of_model(wildcards.sample),
        model=lambda wildcards: model_of(wildcards.sample),
    output:
        f"{SAMPLE}/ic.h5",
    log:
        f"{SAMPLE}/ic.log",
    params:
        program=f"{programs_of('cpu')}/gothic-ic",
        options=drawing_options,
    priority: 3
    threads: threads_on(lambda wildcards: node_of(NODES, "cpu"))
    resources:
        **resources_on(lambda wildcards: node_of(NODES, "cpu")),
    conda:
        "../../config/environment.yaml"
    shell:
        f"{TIED} {{params.program}} {{input.model:q}} {{params.options}} "
        "--threads {threads} --output {output} > {log} 2>&1"


rule model_check:
    """What a model is like: a table by component and radius, and in the log in words."""
    input:
        generator,
        lambda wildcards: tables_of_model(wildcards.model),
        model=lambda wildcards: model_of(wildcards.model),
    output:
        f"{STUDY}/ic/{{model}}/check.csv",
    log:
        f"{STUDY}/ic/{{model}}/check.log",
    params:
        program=f"{programs_of('cpu')}/gothic-ic",
    priority: 3
    threads: threads_on(lambda wildcards: node_of(NODES, "cpu"))
    resources:
        **resources_on(lambda wildcards: node_of(NODES, "cpu")),
    conda:
        "../../config/environment.yaml"
    shell:
        "{params.program} {input.model:q} --check --table {output} --threads {threads} > {log} 2>&1"


rule reference:
    """Forces by direct summation."""
    input:
        lambda wildcards: digests_of(REFERENCE["device"]).simulator,
        lambda wildcards: files_of_run(parameters_in(wildcards.pull)),
        ic=lambda wildcards: particles_of(wildcards.sample),
    output:
        f"{SAMPLE}/{{pull}}/reference.h5",
    log:
        f"{SAMPLE}/{{pull}}/reference.log",
    params:
        program=lambda wildcards: f"{programs_of(REFERENCE['device'])}/gothic",
        options=reference_options,
    threads: threads_on(lambda wildcards: node_of(NODES, REFERENCE["device"]))
    resources:
        device=1,
        **resources_on(lambda wildcards: node_of(NODES, REFERENCE["device"])),
    conda:
        "../../config/environment.yaml"
    shell:
        f"{TIED} {{params.program}} direct --input {{input.ic:q}} --output {{output}} "
        "{params.options} --threads {threads} > {log} 2>&1"


rule runs:
    """Some runs, alone on the machine because they are timed. See analysis/study/measure.py.

    They do not depend on the code that sums them up, nor on how often checkpoints are written,
    since they may have taken hours. Those that are done already stay.
    """
    input:
        lambda wildcards: digests_of(device_of(wildcards)).simulator,
        files_of_job,
        references_of_job,
    output:
        touch(f"{STUDY}/runs/{{job}}.done"),
    log:
        f"{STUDY}/runs/{{job}}.log",
    params:
        program=lambda wildcards: f"{programs_of(device_of(wildcards))}/gothic",
        study=lambda wildcards: STUDY,
        runs=lambda wildcards: JOBS[wildcards.job],
        references="--references" if REFERENCE else "",
        snapshots=SNAPSHOTS,
        # What depends on threads does not make runs anew.
        checkpoints=lambda wildcards, threads: config["checkpoint_interval"],
        requeue=lambda wildcards, threads: "--requeue" if NODES else "",
        launcher=launcher_option,
        threads=threads_of_rank,
    priority: 1
    threads: threads_on(lambda wildcards: node_of(NODES, device_of(wildcards)))
    resources:
        device=1,
        **resources_on(
            lambda wildcards: node_of(NODES, device_of(wildcards)),
            lambda wildcards: len(JOBS[wildcards.job]),
            ranks_of,
        ),
    conda:
        "../../config/environment.yaml"
    shell:
        f"{TIED} python -m analysis.study.measure {{params.study}} {{params.runs}} "
        "--program {params.program} {params.references} --snapshots {params.snapshots} "
        "{params.launcher} --threads {params.threads} "
        "--checkpoint-interval {params.checkpoints} {params.requeue} > {log} 2>&1"


rule listing:
    """What the study consists of, by which tables and figures are made."""
    output:
        f"{STUDY}/study.json",
    log:
        f"{STUDY}/logs/listing.log",
    params:
        study={"study": study_file(), "runs": list(RUNS), "figures": DRAWN},
    run:
        import json

        Path(output[0]).write_text(json.dumps(params.study, indent=1) + "\n")


rule tables:
    """A row for each run; a row for each step, or for each change of a model, that is drawn."""
    input:
        simulator,
        f"{STUDY}/study.json",
        [f"{STUDY}/runs/{job}.done" for job in JOBS],
        sorted(CHECKS),
    output:
        f"{STUDY}/runs.parquet",
        f"{STUDY}/runs.csv",
    log:
        f"{STUDY}/logs/tables.log",
    params:
        study=lambda wildcards: STUDY,
        code=CODE,
    priority: 1
    conda:
        "../../config/environment.yaml"
    shell:
        "python -m analysis.study.runs {params.study} > {log} 2>&1"


rule bench:
    """Measurements of gothic bench, alone on the machine."""
    input:
        lambda wildcards: digests_of(device_of_bench()).simulator,
        particles=files_of_bench,
    output:
        f"{STUDY}/bench_{{word}}.csv",
    log:
        f"{STUDY}/logs/bench_{{word}}.log",
    params:
        program=f"{programs_of(device_of_bench())}/gothic",
        options=bench_options,
        rounds=lambda wildcards: BENCHES[wildcards.word]["rounds"],
    threads: threads_on(lambda wildcards: node_of(NODES, device_of_bench()))
    resources:
        device=1,
        **resources_on(
            lambda wildcards: node_of(NODES, device_of_bench()), lambda wildcards: 1
        ),
    conda:
        "../../config/environment.yaml"
    shell:
        "python -m analysis.study.bench {wildcards.word} {input.particles} --program {params.program} "
        "--output {output} --rounds {params.rounds} --options='{params.options}' > {log} 2>&1"
