"""The study: build -> initial conditions -> reference forces -> force errors and timed runs -> figures.

snakemake --cores all --configfile config/quick.yaml

Every rule that runs or analyses results also takes the digest of a program as input. The digests are
made by a checkpoint, after which Snakemake judges all jobs again: a program that was built anew and
came out identical reruns nothing.
"""

import os
import subprocess
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version, validate

min_version("9.0")

if not config:
    configfile: "config/quick.yaml"

try:
    validate(config, "config/schema.yaml")
except WorkflowError as error:
    cause = error.__context__
    if not hasattr(cause, "absolute_path"):
        raise
    where = ".".join(map(str, cause.absolute_path)) or "configuration"
    problem = cause.schema["description"] if cause.validator == "not" else cause.message
    raise WorkflowError(f"{where}: {problem}; see config/schema.yaml for what is known")

ROOT = os.path.relpath(workflow.basedir)
sys.path.insert(0, os.path.abspath(ROOT))
from analysis.measured import drawable
from analysis.sweep import FIDUCIAL, Run, Setting, acceleration_unit, settings

# Shell commands find the analysis package and the Python that runs Snakemake.
os.environ.update(
    PYTHONPATH=os.path.abspath(ROOT),
    PATH=os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)]),
)
shell.executable("bash")
workflow.global_resources.setdefault("device", 1)

MODELS = config["models"]
STUDY = f"{config['results']}/{config['study']}"
# A sample is a model drawn with some number of particles; BASE is the folder of one of the study's size.
ANY_SAMPLE = f"{{model}}_N{{particles}}_s{config['seed']}"
SAMPLE = f"{{model}}_N{config['particles']}_s{config['seed']}"
ANY_BASE = f"{STUDY}/{ANY_SAMPLE}"
BASE = f"{STUDY}/{SAMPLE}"
FIGURES = f"{config['results']}/figures"
BIN = config["programs"] or f"{config['build']['directory']}/bin"
ALL_CORES = workflow.cores or 1
SOFTENING = f"--softening {config['softening']!r}" if config["softening"] else ""
HARDWARE = f"--device {config['device']}"
TIMING = config["timing"]
SCALING = config["scaling"]

SETTINGS = settings(config["sweep"])
RUNS = [
    Run(setting, mode, TIMING["steps"], repeat)
    for repeat in range(1, TIMING["repeats"] + 1)
    for setting in SETTINGS
    for mode in TIMING["modes"]
]
SCALING_RUNS = [
    Run(FIDUCIAL, "block", SCALING["steps"], repeat) for repeat in range(1, SCALING["repeats"] + 1)
]
SCALED_MODELS = (SCALING["models"] or MODELS[:1]) if SCALING["particles"] else []
NAMES = [f"model_{model}" for model in MODELS]
NAMES += [f"elapsed_vs_error_{model}" for model in MODELS]
if len(TIMING["modes"]) == 2:
    NAMES += [f"speedup_{model}" for model in MODELS]
NAMES += [f"breakdown_vs_particles_{model}" for model in SCALED_MODELS]
EQUILIBRIUM = config["equilibrium"]
QUIET_SAMPLE = f"{{model}}_N{EQUILIBRIUM['particles'] or config['particles']}_s{config['seed']}"
QUIET = f"{STUDY}/{QUIET_SAMPLE}/equilibrium"
KINDS = ["pdf", "png", "csv", "txt"]


def root(path):
    """Path of a file of the repository, as seen from the working directory."""
    return os.path.normpath(os.path.join(ROOT, path))


ALL_MODELS = sorted(path.stem for path in Path(root("config/models")).glob("*.toml"))
MEASURED = f"{FIGURES}/measured"
MEASURED_NAMES = [
    name
    for folder in sorted(Path(root("analysis/measured")).glob("*/"))
    for name in drawable(folder)
]


def program_sources():
    """Everything that the programs are built from."""
    top = Path(root("."))
    files = [path for room in ("src", "ic", "cmake") for path in top.glob(f"{room}/**/*")]
    files += [top / "CMakeLists.txt", top / "CMakePresets.json"]
    return sorted(str(path) for path in files if path.is_file())


def source_revision():
    """State of the sources in git, which the programs carry in their provenance."""
    sources = ["--", "src", "ic", "cmake", "CMakeLists.txt"]
    answers = [
        subprocess.run(["git", "-C", ROOT, *command, *sources], capture_output=True, text=True)
        for command in (["log", "-1", "--format=%H"], ["status", "--porcelain"])
    ]
    return answers[0].stdout.strip() + ("-dirty" if answers[1].stdout else "")


def analysis_code(*modules):
    """The modules of the analysis package that a rule runs, so that a change reruns it."""
    return [root(f"analysis/{module}") for module in ("files.py", "sweep.py", *modules)]


def simulator(wildcards):
    """Digest of gothic; asking for it waits for the build."""
    return checkpoints.programs.get().output.simulator


def generator(wildcards):
    """Digest of gothic-ic; asking for it waits for the build."""
    return checkpoints.programs.get().output.generator


def threads_option(wildcards, threads):
    """Threads of the simulator: as configured, or all that the rule holds."""
    return config["threads"] or threads


def accuracy_option(wildcards):
    """Accuracy parameter of a setting, in the units of the model."""
    model = Path(root(f"config/models/{wildcards.model}.toml"))
    return Setting.from_label(wildcards.setting).option(acceleration_unit(model))


def quiet_length(wildcards):
    """Option that says how long a model is left to itself."""
    myr = EQUILIBRIUM["duration"].get(wildcards.model)
    return f"--myr {myr!r}" if myr else f"--dynamical-times {EQUILIBRIUM['dynamical_times']!r}"


def before_part(wildcards):
    """The state in which a part of the run begins: where the one before has ended."""
    part = int(wildcards.part)
    folder = f"{STUDY}/{QUIET_SAMPLE.format(model=wildcards.model)}"
    return f"{folder}/ic.h5" if part == 1 else f"{folder}/equilibrium/part{part - 1}/snapshot_000.h5"


wildcard_constraints:
    part=r"[1-9]\d*",
    setting=r"(acceleration|multipole)_2pow[+-]\d\d|opening_[\d.e-]+",
    mode="block|shared",
    steps=r"\d+",
    repeat=r"\d+",
    particles=r"\d+",
    device=r"[A-Za-z0-9_-]+",
    model=r"[a-z0-9_]+",


localrules:
    all,
    models,
    equilibrium,
    measured,


rule all:
    input:
        simulator,
        expand(f"{FIGURES}/{{name}}.{{kind}}", name=NAMES, kind=KINDS),


rule models:
    """Every model of config/models beside its particles."""
    input:
        simulator,
        expand(f"{FIGURES}/model_{{model}}.{{kind}}", model=ALL_MODELS, kind=KINDS),


rule equilibrium:
    """What changes in models that are left to themselves."""
    input:
        simulator,
        expand(
            f"{FIGURES}/equilibrium_{{model}}.{{kind}}",
            model=EQUILIBRIUM["models"] or MODELS,
            kind=KINDS,
        ),


rule measured:
    """Figures of the tables in analysis/measured; no program is needed."""
    input:
        expand(f"{MEASURED}/{{name}}.{{kind}}", name=MEASURED_NAMES, kind=KINDS),


if not config["programs"]:

    rule build:
        input:
            program_sources(),
        output:
            f"{BIN}/gothic",
            f"{BIN}/gothic-ic",
        log:
            f"{STUDY}/logs/build.log",
        params:
            root=root("."),
            directory=lambda wildcards, output: str(Path(output[0]).parents[1]),
            options=" ".join(config["build"]["options"]),
            revision=source_revision(),
        threads: ALL_CORES
        conda:
            "config/environment.yaml"
        shell:
            "(cmake -S {params.root} --preset default -B {params.directory} {params.options} && "
            "cmake --build {params.directory} --parallel {threads} --target gothic gothic-ic) "
            "> {log} 2>&1"


checkpoint programs:
    input:
        simulator=f"{BIN}/gothic",
        generator=f"{BIN}/gothic-ic",
    output:
        simulator=f"{STUDY}/programs/gothic.sha256",
        generator=f"{STUDY}/programs/gothic-ic.sha256",
    log:
        f"{STUDY}/logs/programs.log",
    conda:
        "config/environment.yaml"
    shell:
        "(sha256sum < {input.simulator} > {output.simulator} && "
        "sha256sum < {input.generator} > {output.generator}) 2> {log}"


rule initial_conditions:
    input:
        generator,
        model=root("config/models/{model}.toml"),
    output:
        f"{ANY_BASE}/ic.h5",
    log:
        f"{ANY_BASE}/logs/ic.log",
    params:
        program=f"{BIN}/gothic-ic",
        particles=lambda wildcards: wildcards.particles,
        seed=config["seed"],
    threads: ALL_CORES
    conda:
        "config/environment.yaml"
    shell:
        "{params.program} {input.model} --particles {params.particles} --seed {params.seed} "
        "--threads {threads} --output {output} > {log} 2>&1"


rule model_check:
    """What the model is like: a table by component and radius, and in the log in words."""
    input:
        generator,
        model=root("config/models/{model}.toml"),
    output:
        f"{STUDY}/check_{{model}}.csv",
    log:
        f"{STUDY}/logs/check_{{model}}.log",
    params:
        program=f"{BIN}/gothic-ic",
    threads: ALL_CORES
    conda:
        "config/environment.yaml"
    shell:
        "{params.program} {input.model} --check --table {output} --threads {threads} > {log} 2>&1"


rule reference:
    """Forces by direct summation."""
    input:
        simulator,
        ic=f"{BASE}/ic.h5",
    output:
        f"{BASE}/reference.h5",
    log:
        f"{BASE}/logs/reference.log",
    params:
        program=f"{BIN}/gothic",
        targets=f"--targets {n}" if (n := config["reference"]["targets"]) else "",
        precision=config["reference"]["precision"],
        options=f"{SOFTENING} {HARDWARE}",
        threads=threads_option,
    threads: ALL_CORES
    resources:
        device=1,
    conda:
        "config/environment.yaml"
    shell:
        "{params.program} direct --input {input.ic} --output {output} {params.targets} "
        "--precision {params.precision} {params.options} --threads {params.threads} > {log} 2>&1"


rule force:
    """One force evaluation with the tree, alone on the machine because it is timed."""
    input:
        simulator,
        ic=f"{BASE}/ic.h5",
    output:
        f"{BASE}/force/{{setting}}.h5",
    log:
        f"{BASE}/logs/force/{{setting}}.log",
    params:
        program=f"{BIN}/gothic",
        mac=lambda wildcards: Setting.from_label(wildcards.setting).criterion,
        accuracy=accuracy_option,
        options=f"{SOFTENING} {HARDWARE}",
        threads=threads_option,
    threads: ALL_CORES
    resources:
        device=1,
    conda:
        "config/environment.yaml"
    shell:
        "{params.program} force --input {input.ic} --output {output} --mac {params.mac} "
        "--accuracy {params.accuracy} {params.options} --threads {params.threads} > {log} 2>&1"


rule timed_run:
    """One simulation, alone on the machine. Its last snapshot is written, as in the paper, and removed.

    A run that is stopped early leaves valid files, hence the folder of its own until it has ended well.
    """
    input:
        simulator,
        ic=f"{ANY_BASE}/ic.h5",
    output:
        steps=f"{ANY_BASE}/run/{{mode}}_{{steps}}steps/{{setting}}/repeat{{repeat}}/steps.h5",
        energy=f"{ANY_BASE}/run/{{mode}}_{{steps}}steps/{{setting}}/repeat{{repeat}}/energy.h5",
        snapshot=temp(
            f"{ANY_BASE}/run/{{mode}}_{{steps}}steps/{{setting}}/repeat{{repeat}}/snapshot_000.h5"
        ),
    log:
        f"{ANY_BASE}/logs/run/{{mode}}_{{steps}}steps/{{setting}}/repeat{{repeat}}.log",
    params:
        program=f"{BIN}/gothic",
        folder=lambda wildcards, output: os.path.dirname(output.steps),
        unfinished=lambda wildcards, output: f"{os.path.dirname(output.steps)}.unfinished",
        mac=lambda wildcards: Setting.from_label(wildcards.setting).criterion,
        accuracy=accuracy_option,
        options=f"{SOFTENING} {HARDWARE} --eta {TIMING['eta']!r}",
        threads=threads_option,
    threads: ALL_CORES
    resources:
        device=1,
    conda:
        "config/environment.yaml"
    shell:
        "rm -rf {params.unfinished}; "
        "({params.program} run --input {input.ic} --output {params.unfinished} --mac {params.mac} "
        "--accuracy {params.accuracy} --step {wildcards.mode} --steps {wildcards.steps} "
        "{params.options} --threads {params.threads} && "
        "mv {params.unfinished}/*.h5 {params.folder} && rmdir {params.unfinished}) > {log} 2>&1"


rule errors:
    """Percentiles of the force errors, one row per setting."""
    input:
        simulator,
        analysis_code("errors.py"),
        reference=f"{BASE}/reference.h5",
        forces=[f"{BASE}/force/{setting.label}.h5" for setting in SETTINGS],
    output:
        f"{BASE}/errors.csv",
    log:
        f"{BASE}/logs/errors.log",
    params:
        sample=lambda wildcards: SAMPLE.format(model=wildcards.model),
    conda:
        "config/environment.yaml"
    shell:
        "python -m analysis.errors --sample {params.sample} --reference {input.reference} "
        "--output {output} {input.forces} > {log} 2>&1"


rule timings:
    """Elapsed times, one row per run."""
    input:
        simulator,
        analysis_code("tables.py"),
        steps=[f"{BASE}/{run.folder}/steps.h5" for run in RUNS],
    output:
        f"{BASE}/timings.csv",
    log:
        f"{BASE}/logs/timings.log",
    params:
        sample=lambda wildcards: SAMPLE.format(model=wildcards.model),
    conda:
        "config/environment.yaml"
    shell:
        "python -m analysis.tables --sample {params.sample} --output {output} {input.steps} "
        "> {log} 2>&1"


rule scaling:
    """Seconds of each stage, one row per number of particles."""
    input:
        simulator,
        analysis_code("tables.py", "scaling.py"),
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
        "config/environment.yaml"
    shell:
        "python -m analysis.scaling --output {output} {input.steps} > {log} 2>&1"


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
        "config/environment.yaml"
    shell:
        "rm -rf {params.unfinished}; "
        "(time=$(python -m analysis.equilibrium part --snapshot {input.ic} "
        "--parts {params.parts} {params.length}) && "
        "{params.program} run --input {input.start} --output {params.unfinished} "
        "--time $time {params.options} --threads {params.threads} && "
        "mv {params.unfinished}/*.h5 {params.folder} && rmdir {params.unfinished}) > {log} 2>&1"


rule drift:
    """Lagrangian radii, and for discs surface density, height and Q, after every part."""
    input:
        simulator,
        analysis_code("equilibrium.py", "models.py", "profiles.py", "snapshots.py"),
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
        "config/environment.yaml"
    shell:
        "python -m analysis.equilibrium table --sample {params.sample} --check {input.check} "
        "--output {output} {input.snapshots} > {log} 2>&1"


FIGURE_CODE = ("tables.py", "paper.mplstyle", "figures/common.py")


rule figure_elapsed_vs_error:
    input:
        simulator,
        analysis_code(*FIGURE_CODE, "figures/elapsed_vs_error.py"),
        errors=f"{BASE}/errors.csv",
        timings=f"{BASE}/timings.csv",
    output:
        multiext(
            f"{FIGURES}/elapsed_vs_error_{{model}}",
            csv=".csv",
            pdf=".pdf",
            png=".png",
            txt=".txt",
        ),
    log:
        f"{BASE}/logs/elapsed_vs_error.log",
    params:
        stem=lambda wildcards, output: os.path.splitext(output.csv)[0],
    conda:
        "config/environment.yaml"
    shell:
        "python -m analysis.figures.elapsed_vs_error --errors {input.errors} "
        "--timings {input.timings} --stem {params.stem} > {log} 2>&1"


rule figure_speedup:
    input:
        simulator,
        analysis_code(*FIGURE_CODE, "figures/speedup.py"),
        timings=f"{BASE}/timings.csv",
    output:
        multiext(
            f"{FIGURES}/speedup_{{model}}",
            csv=".csv",
            pdf=".pdf",
            png=".png",
            txt=".txt",
        ),
    log:
        f"{BASE}/logs/speedup.log",
    params:
        stem=lambda wildcards, output: os.path.splitext(output.csv)[0],
    conda:
        "config/environment.yaml"
    shell:
        "python -m analysis.figures.speedup --timings {input.timings} --stem {params.stem} "
        "> {log} 2>&1"


rule figure_breakdown_vs_particles:
    input:
        simulator,
        analysis_code(*FIGURE_CODE, "scaling.py", "figures/breakdown_vs_particles.py"),
        scaling=f"{STUDY}/scaling_{{model}}.csv",
    output:
        multiext(
            f"{FIGURES}/breakdown_vs_particles_{{model}}",
            csv=".csv",
            pdf=".pdf",
            png=".png",
            txt=".txt",
        ),
    log:
        f"{STUDY}/logs/breakdown_vs_particles_{{model}}.log",
    params:
        stem=lambda wildcards, output: os.path.splitext(output.csv)[0],
    conda:
        "config/environment.yaml"
    shell:
        "python -m analysis.figures.breakdown_vs_particles --scaling {input.scaling} "
        "--stem {params.stem} > {log} 2>&1"


rule figure_model:
    input:
        simulator,
        analysis_code(*FIGURE_CODE, "models.py", "profiles.py", "snapshots.py", "figures/model.py"),
        check=f"{STUDY}/check_{{model}}.csv",
        ic=f"{BASE}/ic.h5",
    output:
        multiext(f"{FIGURES}/model_{{model}}", csv=".csv", pdf=".pdf", png=".png", txt=".txt"),
    log:
        f"{BASE}/logs/model.log",
    params:
        stem=lambda wildcards, output: os.path.splitext(output.csv)[0],
    conda:
        "config/environment.yaml"
    shell:
        "python -m analysis.figures.model --check {input.check} --snapshot {input.ic} "
        "--model {wildcards.model} --stem {params.stem} > {log} 2>&1"


rule figure_equilibrium:
    input:
        simulator,
        analysis_code(*FIGURE_CODE, "equilibrium.py", "profiles.py", "figures/equilibrium.py"),
        drift=f"{QUIET}/drift.csv",
    output:
        multiext(f"{FIGURES}/equilibrium_{{model}}", csv=".csv", pdf=".pdf", png=".png", txt=".txt"),
    log:
        f"{STUDY}/{QUIET_SAMPLE}/logs/equilibrium/figure.log",
    params:
        stem=lambda wildcards, output: os.path.splitext(output.csv)[0],
    conda:
        "config/environment.yaml"
    shell:
        "python -m analysis.figures.equilibrium --drift {input.drift} --stem {params.stem} "
        "> {log} 2>&1"


use rule figure_elapsed_vs_error as measured_elapsed_vs_error with:
    input:
        analysis_code(*FIGURE_CODE, "figures/elapsed_vs_error.py"),
        errors=root("analysis/measured/{device}/errors_{model}.csv"),
        timings=root("analysis/measured/{device}/timings_{model}.csv"),
    output:
        multiext(
            f"{MEASURED}/{{device}}/elapsed_vs_error_{{model}}",
            csv=".csv",
            pdf=".pdf",
            png=".png",
            txt=".txt",
        ),
    log:
        f"{MEASURED}/{{device}}/logs/elapsed_vs_error_{{model}}.log",


use rule figure_speedup as measured_speedup with:
    input:
        analysis_code(*FIGURE_CODE, "figures/speedup.py"),
        timings=root("analysis/measured/{device}/timings_{model}.csv"),
    output:
        multiext(
            f"{MEASURED}/{{device}}/speedup_{{model}}",
            csv=".csv",
            pdf=".pdf",
            png=".png",
            txt=".txt",
        ),
    log:
        f"{MEASURED}/{{device}}/logs/speedup_{{model}}.log",


use rule figure_breakdown_vs_particles as measured_breakdown_vs_particles with:
    input:
        analysis_code(*FIGURE_CODE, "scaling.py", "figures/breakdown_vs_particles.py"),
        scaling=root("analysis/measured/{device}/scaling_{model}.csv"),
    output:
        multiext(
            f"{MEASURED}/{{device}}/breakdown_vs_particles_{{model}}",
            csv=".csv",
            pdf=".pdf",
            png=".png",
            txt=".txt",
        ),
    log:
        f"{MEASURED}/{{device}}/logs/breakdown_vs_particles_{{model}}.log",
