"""Tables of the study, made of the files of forces and runs."""


rule errors:
    """Percentiles of the force errors, one row per setting."""
    input:
        simulator,
        code_of("errors.py"),
        reference=f"{BASE}/reference.h5",
        forces=[f"{BASE}/force/{setting.label}.h5" for setting in SETTINGS],
    output:
        f"{BASE}/errors.csv",
    log:
        f"{BASE}/logs/errors.log",
    params:
        sample=lambda wildcards: SAMPLE.format(model=wildcards.model),
    conda:
        "../../config/environment.yaml"
    shell:
        "python -m analysis.errors --sample {params.sample} --reference {input.reference} "
        "--output {output} {input.forces} > {log} 2>&1"


rule timings:
    """Elapsed times, one row per run."""
    input:
        simulator,
        code_of("tables.py"),
        steps=[f"{BASE}/{run.folder}/steps.h5" for run in RUNS],
    output:
        f"{BASE}/timings.csv",
    log:
        f"{BASE}/logs/timings.log",
    params:
        sample=lambda wildcards: SAMPLE.format(model=wildcards.model),
    conda:
        "../../config/environment.yaml"
    shell:
        "python -m analysis.tables --sample {params.sample} --output {output} {input.steps} "
        "> {log} 2>&1"


rule scaling:
    """Seconds of each stage, one row per number of particles."""
    input:
        simulator,
        code_of("scaling.py"),
        steps=[
            f"{STUDY}/{{model}}_N{particles}_s{config['seed']}/{run.folder}/steps.h5"
            for run in SCALING_RUNS
            for particles in SCALING["particles"]
        ],
    output:
        f"{STUDY}/scaling_{{model}}.csv",
    log:
        f"{STUDY}/logs/scaling_{{model}}.log",
    conda:
        "../../config/environment.yaml"
    shell:
        "python -m analysis.scaling --output {output} {input.steps} > {log} 2>&1"
