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
]
