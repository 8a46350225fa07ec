"""Models that are left to themselves: a run in parts, and what changed after each."""

EQUILIBRIUM = config["equilibrium"]
QUIET_SAMPLE = f"{{model}}_N{EQUILIBRIUM['particles'] or config['particles']}_s{config['seed']}"
QUIET = f"{STUDY}/{QUIET_SAMPLE}/equilibrium"

DRAWN.append(
    Figure(
        "equilibrium",
        "Models left to themselves",
        tables={"drift": f"{QUIET}/drift.csv"},
        models=[],  # not in the target all
        measured={"drift": "equilibrium_{model}.csv"},
    )
)


wildcard_constraints:
    part=r"[1-9]\d*",


localrules:
    equilibrium,


rule equilibrium:
    """What changes in models that are left to themselves."""
    input:
        simulator,
        expand(
            f"{FIGURES}/equilibrium_{{model}}.{{kind}}",
            model=EQUILIBRIUM["models"] or MODELS,
            kind=FIGURE,
        ),


rule quiet_run:
    """One part of the run of a model that is left to itself."""
    input:
        simulator,
        ic=f"{STUDY}/{QUIET_SAMPLE}/ic.h5",
        start=before_part,
    output:
        snapshot=f"{QUIET}/part{{part}}/snapshot_000.h5",
        steps=f"{QUIET}/part{{part}}/steps.h5",
        energy=f"{QUIET}/part{{part}}/energy.h5",
    log:
        f"{STUDY}/{QUIET_SAMPLE}/logs/equilibrium/part{{part}}.log",
    params:
        program=f"{BIN}/gothic",
        folder=lambda wildcards, output: os.path.dirname(output.snapshot),
        unfinished=lambda wildcards, output: f"{os.path.dirname(output.snapshot)}.unfinished",
        length=quiet_length,
        parts=EQUILIBRIUM["parts"],
        options=f"{SOFTENING} {HARDWARE} --eta {EQUILIBRIUM['eta']!r} "
        f"--accuracy {EQUILIBRIUM['accuracy']!r}",
        threads=threads_option,
    threads: ALL_CORES
    resources:
        device=1,
    conda:
        "../../config/environment.yaml"
    shell:
        "rm -rf {params.unfinished}-*; attempt=$(mktemp -d {params.unfinished}-XXXXXX); "
        "(time=$(python -m analysis.equilibrium part --snapshot {input.ic} "
        "--parts {params.parts} {params.length}) && "
        "{params.program} run --input {input.start} --output $attempt "
        "--time $time {params.options} --threads {params.threads} --checkpoint-interval 0 && "
        "mv $attempt/*.h5 {params.folder} && rmdir $attempt) > {log} 2>&1"


rule drift:
    """Lagrangian radii, and for discs surface density, height and Q, after every part."""
    input:
        simulator,
        code_of("equilibrium.py"),
        check=f"{STUDY}/check_{{model}}.csv",
        snapshots=[
            f"{STUDY}/{QUIET_SAMPLE}/ic.h5",
            *(f"{QUIET}/part{n}/snapshot_000.h5" for n in range(1, EQUILIBRIUM["parts"] + 1)),
        ],
    output:
        f"{QUIET}/drift.csv",
    log:
        f"{STUDY}/{QUIET_SAMPLE}/logs/equilibrium/drift.log",
    params:
        sample=lambda wildcards: QUIET_SAMPLE.format(model=wildcards.model),
    conda:
        "../../config/environment.yaml"
    shell:
        "python -m analysis.equilibrium table --sample {params.sample} --check {input.check} "
        "--output {output} {input.snapshots} > {log} 2>&1"
