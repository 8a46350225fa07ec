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


rule trace:
    """A run step by step."""
    input:
        simulator,
        code_of("trace.py"),
        steps=f"{BASE}/{TRACED.folder}/steps.h5",
    output:
        f"{BASE}/trace.csv",
    log:
        f"{BASE}/logs/trace.log",
    params:
        sample=lambda wildcards: SAMPLE.format(model=wildcards.model),
    conda:
        "../../config/environment.yaml"
    shell:
        "python -m analysis.trace --sample {params.sample} --output {output} {input.steps} "
        "> {log} 2>&1"


rule bench_peak:
    """Rates of direct summation and of the memory."""
    input:
        simulator,
    output:
        f"{STUDY}/bench_peak.csv",
    log:
        f"{STUDY}/logs/bench_peak.log",
    params:
        program=f"{BIN}/gothic",
        options=f"{HARDWARE} --repeats {PEAK['repeats']} --buffer-bytes {PEAK['buffer_bytes']}",
        threads=threads_option,
    threads: ALL_CORES
    resources:
        device=1,
    conda:
        "../../config/environment.yaml"
    shell:
        "{params.program} bench peak {params.options} --threads {params.threads} "
        "--output {output} > {log} 2>&1"


rule bench_order:
    """Tree and walk with either curve, in turn, so that a drift of the machine meets both."""
    input:
        simulator,
        ic=f"{BASE}/ic.h5",
    output:
        expand(
            f"{BASE}/order/{{curve}}_{{word}}_{{round}}.csv",
            curve=CURVES,
            word=["tree", "walk"],
            round=range(1, ORDER["rounds"] + 1),
            allow_missing=True,
        ),
        expand(f"{BASE}/order/{{curve}}_histogram.csv", curve=CURVES, allow_missing=True),
    log:
        f"{BASE}/logs/order.log",
    params:
        program=f"{BIN}/gothic",
        folder=lambda wildcards, output: os.path.dirname(output[0]),
        rounds=ORDER["rounds"],
        curves=" ".join(CURVES),
        options=f"{SOFTENING} {HARDWARE}",
        repeats=ORDER["repeats"],
        threads=threads_option,
    threads: ALL_CORES
    resources:
        device=1,
    conda:
        "../../config/environment.yaml"
    shell:
        "(for round in $(seq {params.rounds}); do for curve in {params.curves}; do "
        "for word in tree walk; do {params.program} bench $word --input {input.ic} "
        "--curve $curve {params.options} --repeats {params.repeats} --threads {params.threads} "
        "--output {params.folder}/${{curve}}_${{word}}_$round.csv; done; done; done; "
        "for curve in {params.curves}; do {params.program} bench balls --input {input.ic} "
        "--curve $curve {params.options} --repeats 1 --threads {params.threads} "
        "--histogram {params.folder}/${{curve}}_histogram.csv; done) > {log} 2>&1"


rule order:
    """Tree and walk with either curve, one row per curve and round."""
    input:
        simulator,
        code_of("order.py"),
        benches=rules.bench_order.output,
    output:
        f"{BASE}/order.csv",
    log:
        f"{BASE}/logs/order_table.log",
    params:
        sample=lambda wildcards: SAMPLE.format(model=wildcards.model),
    conda:
        "../../config/environment.yaml"
    shell:
        "python -m analysis.order --sample {params.sample} --output {output} {input.benches} "
        "> {log} 2>&1"


rule bench_crossover:
    """A force with the tree and by direct summation."""
    input:
        simulator,
        ic=f"{ANY_BASE}/ic.h5",
    output:
        f"{ANY_BASE}/bench/crossover.csv",
    log:
        f"{ANY_BASE}/logs/crossover.log",
    params:
        program=f"{BIN}/gothic",
        options=f"{SOFTENING} {HARDWARE} --repeats {CROSSOVER['repeats']}",
        threads=threads_option,
    threads: ALL_CORES
    resources:
        device=1,
    conda:
        "../../config/environment.yaml"
    shell:
        "{params.program} bench crossover --input {input.ic} --output {output} {params.options} "
        "--threads {params.threads} > {log} 2>&1"


rule crossover:
    """Tree and direct summation, one row per number of particles."""
    input:
        simulator,
        code_of("crossover.py"),
        benches=[
            f"{STUDY}/{{model}}_N{particles}_s{config['seed']}/bench/crossover.csv"
            for particles in CROSSOVER["particles"]
        ],
    output:
        f"{STUDY}/crossover_{{model}}.csv",
    log:
        f"{STUDY}/logs/crossover_{{model}}.log",
    conda:
        "../../config/environment.yaml"
    shell:
        "python -m analysis.crossover --model {wildcards.model} --output {output} {input.benches} "
        "> {log} 2>&1"
