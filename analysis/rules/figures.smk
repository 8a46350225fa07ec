"""Figures of the runs and of the particles."""

DRAWN += [
    Figure(
        "model",
        "Models",
        tables={"check": f"{STUDY}/check_{{model}}.csv", "snapshot": f"{BASE}/ic.h5"},
        options="--model {wildcards.model}",
        models=MODELS,
    ),
    Figure(
        "elapsed_vs_error",
        "Time and accuracy",
        tables={"errors": f"{BASE}/errors.csv", "timings": f"{BASE}/timings.csv"},
        models=MODELS,
        measured={"errors": "errors_{model}.csv", "timings": "timings_{model}.csv"},
    ),
    Figure(
        "speedup",
        "Time and accuracy",
        tables={"timings": f"{BASE}/timings.csv"},
        models=MODELS if len(TIMING["modes"]) == 2 else [],
        measured={"timings": "timings_{model}.csv"},
        fits=both_modes,
    ),
    Figure(
        "breakdown_vs_particles",
        "Parts of a step",
        tables={"scaling": f"{STUDY}/scaling_{{model}}.csv"},
        models=SCALED_MODELS,
        measured={"scaling": "scaling_{model}.csv"},
    ),
    Figure(
        "stages_vs_step",
        "Parts of a step",
        tables={"trace": f"{BASE}/trace.csv"},
        models=TRACED_MODELS,
        measured={"trace": "trace_{model}.csv"},
    ),
    Figure(
        "interactions_vs_step",
        "Performance",
        tables={"traces": expand(f"{BASE}/trace.csv", model=TRACED_MODELS)},
        measured={"traces": "trace_{model}.csv"},
    ),
    Figure(
        "performance",
        "Performance",
        tables={
            "traces": expand(f"{BASE}/trace.csv", model=TRACED_MODELS),
            "peak": f"{STUDY}/bench_peak.csv",
        },
        measured={"traces": "trace_{model}.csv", "peak": "bench_peak.csv"},
        kinds=TABLE,
    ),
    Figure(
        "crossover",
        "Performance",
        tables={"crossover": f"{STUDY}/crossover_{{model}}.csv"},
        models=CROSSED_MODELS,
        measured={"crossover": "crossover_{model}.csv"},
    ),
]
NUMBERS = {
    "timings": expand(f"{BASE}/timings.csv", model=MODELS),
    "trace": expand(f"{BASE}/trace.csv", model=TRACED_MODELS),
    "errors": expand(f"{BASE}/errors.csv", model=MODELS),
    "peak": [f"{STUDY}/bench_peak.csv"],
    "crossover": expand(f"{STUDY}/crossover_{{model}}.csv", model=CROSSED_MODELS),
}
DRAWN.append(
    Figure(
        "beside_published",
        "Performance",
        tables={kind: files for kind, files in NUMBERS.items() if files},
        measured={kind: f"{kind}_{{model}}.csv" for kind in NUMBERS} | {"peak": "bench_peak.csv"},
        some=True,
        kinds=TABLE,
    )
)
if ORDER["rounds"]:
    DRAWN.append(
        Figure(
            "hilbert_vs_morton",
            "Performance",
            tables={"orders": expand(f"{BASE}/order.csv", model=MODELS)},
            measured={"orders": "order_{model}.csv"},
            kinds=TABLE,
        )
    )
