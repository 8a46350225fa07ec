"""The study that reproduces the paper: reference forces, force errors and timed runs, figures."""

from analysis.order import CURVES
from analysis.study import FIGURE, TABLE, Figure, both_modes, drawable
from analysis.sweep import FIDUCIAL, Run, Setting, acceleration_unit, has_disc, settings

MODELS = config["models"]
# A sample is a model drawn with some number of particles; BASE is the folder of one of the study's size.
ANY_SAMPLE = f"{{model}}_N{{particles}}_s{config['seed']}"
SAMPLE = f"{{model}}_N{config['particles']}_s{config['seed']}"
ANY_BASE = f"{STUDY}/{ANY_SAMPLE}"
BASE = f"{STUDY}/{SAMPLE}"
FIGURES = f"{config['results']}/figures"
BIN = PROGRAMS.format(node="")
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
TRACE = config["trace"]
TRACED = Run(FIDUCIAL, "block", TRACE["steps"], 1)
TRACED_MODELS = TRACE["models"] or MODELS
PEAK = config["peak"]
ORDER = config["order"]
CROSSOVER = config["crossover"]
CROSSED_MODELS = (CROSSOVER["models"] or MODELS[:1]) if CROSSOVER["particles"] else []
# What is drawn; the files of analysis/rules add to it.
DRAWN: list[Figure] = []


include: "reproduction_functions.smk"


ALL_MODELS = sorted(path.stem for path in Path(root("config/models")).glob("*.toml"))
MEASURED = f"{FIGURES}/measured"
MEASURED_DEVICES = sorted(Path(root("analysis/measured")).glob("*/"))
TARGETS = [simulator, drawn, f"{config['results']}/index.html"]


wildcard_constraints:
    setting=r"(acceleration|multipole)_2pow[+-]\d\d|opening_[\d.e-]+",
    mode="block|shared",
    steps=r"\d+",
    repeat=r"\d+",
    particles=r"\d+",
    device=r"[A-Za-z0-9_-]+",
    model=r"[a-z0-9_]+",


localrules:
    models,
    measured,


rule models:
    """Every model of config/models beside its particles."""
    input:
        simulator,
        expand(f"{FIGURES}/model_{{model}}.{{kind}}", model=ALL_MODELS, kind=FIGURE),


rule measured:
    """Figures of the tables in analysis/measured; no program is needed."""
    input:
        drawn_of_measured,
        f"{config['results']}/measured.html",


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
        "../../config/environment.yaml"
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
        "../../config/environment.yaml"
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
        "../../config/environment.yaml"
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
        "../../config/environment.yaml"
    shell:
        "{params.program} force --input {input.ic} --output {output} --mac {params.mac} "
        "--accuracy {params.accuracy} {params.options} --threads {params.threads} > {log} 2>&1"


rule timed_run:
    """One simulation, alone on the machine. Its last snapshot is written, as in the paper, and removed.

    A run that is stopped early leaves valid files, hence the folder of its own until it has ended well;
    one of every attempt, since a program may outlive the workflow that has started it. It is then made
    again as a whole, since it is timed.
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
        "../../config/environment.yaml"
    shell:
        "rm -rf {params.unfinished}-*; attempt=$(mktemp -d {params.unfinished}-XXXXXX); "
        "({params.program} run --input {input.ic} --output $attempt --mac {params.mac} "
        "--accuracy {params.accuracy} --step {wildcards.mode} --steps {wildcards.steps} "
        "{params.options} --threads {params.threads} --checkpoint-interval 0 && "
        "mv $attempt/*.h5 {params.folder} && rmdir $attempt) > {log} 2>&1"


include: "tables.smk"
include: "figures.smk"
include: "equilibrium.smk"
include: "benches.smk"
include: "maps.smk"
# Last, since it makes the rules of everything in DRAWN.
include: "drawing.smk"
include: "index.smk"
