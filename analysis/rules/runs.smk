"""A parameter study: initial conditions -> direct sums -> runs -> one table -> plots.

The path of a run tells its parameters. Its one job makes the force evaluation that is compared with
the direct sums, the run itself, and its row of the table.
"""

import shlex
from pathlib import PurePath

from snakemake.common.configfile import load_configfile

from analysis.configuration import plot_name, run_defaults
from analysis.space import parameters_of, runs_by_path, spell
from analysis.study import FIGURE

DEFAULTS = run_defaults(load_configfile(SCHEMA))
RUNS = runs_by_path(config["runs"], DEFAULTS)
REFERENCE = config.get("reference")
PLOTS = {plot_name(plot): plot for plot in config["plots"]}
SAMPLE = f"{STUDY}/ic/{{sample}}"
RUN = f"{STUDY}/runs/{{sample}}/{{point}}"
# A program that a killed workflow has started ends with it.
TIED = "exec setpriv --pdeathsig KILL"
SNAPSHOTS = ["snapshot_000.h5"] if config["snapshots"] else []
# Whether this is within a job of a cluster that has one run. When its time is over it waits in the
# queue again; a job of several runs would begin with those that are done.
ALONE = sum(word.startswith("run:") for word in sys.argv) == 1
TARGETS = [
    f"{STUDY}/runs.parquet",
    *expand(f"{STUDY}/figures/{{plot}}.{{kind}}", plot=PLOTS, kind=FIGURE),
    *expand(f"{STUDY}/runs/{{run}}/{{file}}", run=RUNS, file=SNAPSHOTS),
]


include: "runs_functions.smk"


wildcard_constraints:
    sample=r"model~[a-z0-9_]+/particles~\d+/seed~\d+",
    point=r"criterion~.+/repeat~\d+",
    softening=r"[^/]+",
    plot=r"[A-Za-z0-9_.-]+",


localrules:
    listing,
    table,
    plot,


rule initial_conditions:
    input:
        digest_of_generator,
        model=model_file,
    output:
        f"{SAMPLE}/ic.h5",
    log:
        f"{SAMPLE}/ic.log",
    params:
        program=f"{programs_of('cpu')}/gothic-ic",
        particles=lambda wildcards: sampled(wildcards)["particles"],
        seed=lambda wildcards: sampled(wildcards)["seed"],
    threads: threads_on(node_of_sample)
    resources:
        **resources_on(node_of_sample),
    conda:
        "../../config/environment.yaml"
    shell:
        f"{TIED} {{params.program}} {{input.model}} --particles {{params.particles}} "
        "--seed {params.seed} --threads {threads} --output {output} > {log} 2>&1"


rule reference:
    """Forces by direct summation."""
    input:
        digest_for_reference,
        ic=f"{SAMPLE}/ic.h5",
    output:
        f"{SAMPLE}/softening~{{softening}}/reference.h5",
    log:
        f"{SAMPLE}/softening~{{softening}}/reference.log",
    params:
        program=lambda wildcards: f"{programs_of(REFERENCE['device'])}/gothic",
        options=reference_options,
    threads: threads_on(node_of_reference)
    resources:
        device=1,
        **resources_on(node_of_reference),
    conda:
        "../../config/environment.yaml"
    shell:
        f"{TIED} {{params.program}} direct --input {{input.ic}} --output {{output}} "
        "{params.options} --threads {threads} > {log} 2>&1"


rule run:
    """A run, alone on the machine because it is timed. See analysis/measure.py.

    It does not depend on the code that sums it up, nor on how often checkpoints are written, since
    it may have taken hours.
    """
    input:
        digest_for_run,
        ic=f"{SAMPLE}/ic.h5",
        reference=reference_of_run,
    output:
        row=f"{RUN}/run.json",
        steps=f"{RUN}/steps.h5",
        energy=f"{RUN}/energy.h5",
        snapshot=[f"{RUN}/{file}" for file in SNAPSHOTS],
    log:
        f"{RUN}/run.log",
    group:
        group_of_run
    params:
        program=lambda wildcards: f"{programs_of(device_of(wildcards))}/gothic",
        folder=lambda wildcards, output: os.path.dirname(output.row),
        reference=lambda wildcards, input: [f"--reference {path}" for path in input.reference],
        snapshot="--snapshot" if SNAPSHOTS else "",
        # What depends on threads does not make a run anew.
        checkpoints=lambda wildcards, threads: config["checkpoint_interval"],
        requeue=lambda wildcards, threads: "--requeue" if ALONE else "",
    threads: threads_on(node_of_run)
    resources:
        device=1,
        **resources_on(node_of_run, timed=True),
    conda:
        "../../config/environment.yaml"
    shell:
        f"{TIED} python -m analysis.measure {{params.folder}} --program {{params.program}} "
        "--ic {input.ic} {params.reference} {params.snapshot} --threads {threads} "
        "--checkpoint-interval {params.checkpoints} {params.requeue} > {log} 2>&1"


rule listing:
    """The paths of all runs, by which the table is made of those that are done."""
    output:
        f"{STUDY}/runs.txt",
    log:
        f"{STUDY}/logs/listing.log",
    params:
        runs=list(RUNS),
    run:
        Path(output[0]).write_text("".join(f"{run}\n" for run in params.runs))


rule table:
    input:
        code_of("runs.py"),
        f"{STUDY}/runs.txt",
        rows=[f"{STUDY}/runs/{run}/run.json" for run in RUNS],
    output:
        f"{STUDY}/runs.parquet",
        f"{STUDY}/runs.csv",
    log:
        f"{STUDY}/logs/table.log",
    params:
        study=lambda wildcards, output: os.path.dirname(output[0]),
    conda:
        "../../config/environment.yaml"
    shell:
        "python -m analysis.runs {params.study} > {log} 2>&1"


rule plot:
    input:
        code_of("plot.py"),
        table=f"{STUDY}/runs.parquet",
    output:
        expand(f"{STUDY}/figures/{{{{plot}}}}.{{kind}}", kind=FIGURE),
    log:
        f"{STUDY}/logs/{{plot}}.log",
    params:
        options=lambda wildcards: plot_options(PLOTS[wildcards.plot]),
        stem=lambda wildcards: f"{STUDY}/figures/{wildcards.plot}",
    conda:
        "../../config/environment.yaml"
    shell:
        "python -m analysis.plot {input.table} {params.options} --output {params.stem} > {log} 2>&1"
