"""Maps of surface density, and films of them: a run in parts, with a frame of the state after each."""

MAPS = config["maps"]
MAP_SAMPLE = f"{{model}}_N{MAPS['particles'] or config['particles']}_s{config['seed']}"
MAPPED_MODELS = MAPS["models"] or [
    model for model in MODELS if has_disc(Path(root(f"config/models/{model}.toml")))
]
MOVIE = MAPS["movie"]
MOVIE_SAMPLE = f"{{model}}_N{MOVIE['particles'] or config['particles']}_s{config['seed']}"
FRAMES = f"{STUDY}/{MOVIE_SAMPLE}/movie"

DRAWN += [
    Figure(
        "map",
        "Models",
        tables={"snapshot": f"{STUDY}/{MAP_SAMPLE}/ic.h5"},
        options="--model {wildcards.model}",
        models=MAPPED_MODELS,
    ),
    Figure(
        "movie",
        "Models left to themselves",
        tables={
            "snapshots": [
                f"{STUDY}/{MOVIE_SAMPLE}/ic.h5",
                *(f"{FRAMES}/part{n}/snapshot_000.h5" for n in range(1, MOVIE["frames"] + 1)),
            ]
        },
        options="--model {wildcards.model}",
        models=[],  # not in the target all
        kinds=(*FIGURE, "gif"),
    ),
]


localrules:
    movie,


rule movie:
    """A galaxy in the course of time."""
    input:
        simulator,
        expand(f"{FIGURES}/movie_{MOVIE['model']}.{{kind}}", kind=(*FIGURE, "gif")),


use rule quiet_run as movie_part with:
    input:
        simulator,
        ic=f"{STUDY}/{MOVIE_SAMPLE}/ic.h5",
        start=before_frame,
    output:
        snapshot=f"{FRAMES}/part{{part}}/snapshot_000.h5",
        steps=f"{FRAMES}/part{{part}}/steps.h5",
        energy=f"{FRAMES}/part{{part}}/energy.h5",
    log:
        f"{STUDY}/{MOVIE_SAMPLE}/logs/movie/part{{part}}.log",
    params:
        program=f"{BIN}/gothic",
        folder=lambda wildcards, output: os.path.dirname(output.snapshot),
        unfinished=lambda wildcards, output: f"{os.path.dirname(output.snapshot)}.unfinished",
        length=f"--myr {MOVIE['duration']!r}",
        parts=MOVIE["frames"],
        options=f"{SOFTENING} {HARDWARE} --eta {MOVIE['eta']!r} --accuracy {MOVIE['accuracy']!r}",
        threads=threads_option,
