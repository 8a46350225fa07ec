"""Measurements of gothic bench, what is drawn of them, and the table of findings, which needs all."""

BENCHES = config["benches"]
TUNE = BENCHES["tune"]
TUNED = f"{STUDY}/{{model}}_N{TUNE['particles']}_s{config['seed']}/ic.h5"


DRAWN += [
    Figure(
        "walk_vs_active",
        "Performance",
        tables={"sharing": f"{bench_folder('sharing')}/bench_sharing.csv"},
        models=BENCHES["sharing"]["models"],
        measured={"sharing": "bench_sharing_{model}.csv"},
    ),
    Figure(
        "enclosing_balls",
        "Tuning",
        tables={
            "histogram": f"{bench_folder('balls')}/bench_histogram.csv",
            "balls": f"{bench_folder('balls')}/bench_balls.csv",
        },
        models=BENCHES["balls"]["models"],
        measured={"histogram": "bench_histogram_{model}.csv", "balls": "bench_balls_{model}.csv"},
    ),
    Figure(
        "rebuild_interval",
        "Tuning",
        tables={"rebuild": f"{bench_folder('rebuild')}/bench_rebuild.csv"},
        models=BENCHES["rebuild"]["models"],
        measured={"rebuild": "bench_rebuild_{model}.csv"},
    ),
    Figure(
        "group_extent",
        "Tuning",
        tables={"extent": f"{bench_folder('extent')}/bench_extent.csv"},
        models=BENCHES["extent"]["models"],
        measured={"extent": "bench_extent_{model}.csv"},
    ),
]
# Tables of the whole study, by the files that the configuration makes; empty ones are not written.
OF_ALL = {
    "ball_costs": ("Tuning", {"balls": benched("balls")}),
    "launch_configuration": (
        "Tuning",
        {"tune": [f"{STUDY}/bench_tune.csv"] if TUNE["particles"] else []},
    ),
    "tuning": ("Tuning", {word: benched(word) for word in ("rebuild", "extent", "sharing")}),
    "findings": (
        "Findings",
        {
            "errors": expand(f"{BASE}/errors.csv", model=MODELS),
            "timings": expand(f"{BASE}/timings.csv", model=MODELS),
            "trace": expand(f"{BASE}/trace.csv", model=TRACED_MODELS),
            "scaling": expand(f"{STUDY}/scaling_{{model}}.csv", model=SCALED_MODELS),
            "crossover": expand(f"{STUDY}/crossover_{{model}}.csv", model=CROSSED_MODELS),
            "sharing": benched("sharing"),
            "histogram": benched("balls", "histogram"),
        },
    ),
}
KEPT = {"tune": "bench_tune.csv"} | {
    word: f"bench_{word}_{{model}}.csv"
    for word in ("balls", "rebuild", "extent", "sharing", "histogram")
}
for name, (section, tables) in OF_ALL.items():
    if any(tables.values()):
        DRAWN.append(
            Figure(
                name,
                section,
                tables={option: files for option, files in tables.items() if files},
                measured={option: KEPT.get(option, f"{option}_{{model}}.csv") for option in tables},
                some=True,
                kinds=TABLE,
            )
        )


rule bench_of_model:
    """Measurements of the particles of a model, alone on the machine."""
    input:
        simulator,
        ic=f"{ANY_BASE}/ic.h5",
    output:
        f"{ANY_BASE}/bench_{{word}}.csv",
    log:
        f"{ANY_BASE}/logs/bench_{{word}}.log",
    wildcard_constraints:
        word="sharing|rebuild|extent",
    params:
        program=f"{BIN}/gothic",
        options=bench_options,
        threads=threads_option,
    threads: ALL_CORES
    resources:
        device=1,
    conda:
        "../../config/environment.yaml"
    shell:
        "{params.program} bench {wildcards.word} --input {input.ic} --output {output} "
        "{params.options} --threads {params.threads} > {log} 2>&1"


rule bench_balls:
    """Enclosing balls of every kind, and their radii."""
    input:
        simulator,
        ic=f"{ANY_BASE}/ic.h5",
    output:
        table=f"{ANY_BASE}/bench_balls.csv",
        histogram=f"{ANY_BASE}/bench_histogram.csv",
    log:
        f"{ANY_BASE}/logs/bench_balls.log",
    params:
        program=f"{BIN}/gothic",
        options=f"{SOFTENING} {HARDWARE} --repeats {BENCHES['balls']['repeats']}",
        threads=threads_option,
    threads: ALL_CORES
    resources:
        device=1,
    conda:
        "../../config/environment.yaml"
    shell:
        "{params.program} bench balls --input {input.ic} --output {output.table} "
        "--histogram {output.histogram} {params.options} --threads {params.threads} > {log} 2>&1"


rule bench_tune:
    """The launch configuration that suits the device, and its file of options."""
    input:
        simulator,
        ic=expand(TUNED, model=TUNE["models"]),
    output:
        table=f"{STUDY}/bench_tune.csv",
        defaults=f"{STUDY}/defaults.toml",
    log:
        f"{STUDY}/logs/bench_tune.log",
    params:
        program=f"{BIN}/gothic",
        options=f"{SOFTENING} {HARDWARE} --repeats {TUNE['repeats']}",
        threads=threads_option,
    threads: ALL_CORES
    resources:
        device=1,
    conda:
        "../../config/environment.yaml"
    shell:
        "{params.program} bench tune --input {input.ic} --output {output.table} "
        "--defaults {output.defaults} {params.options} --threads {params.threads} > {log} 2>&1"
