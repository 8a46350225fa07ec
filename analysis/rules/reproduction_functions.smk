"""Functions of the study that reproduces the paper: what is drawn, and options of the programs."""


def drawn(wildcards):
    """Every figure and table of the study."""
    return [
        f"{FIGURES}/{stem}.{kind}"
        for figure in DRAWN
        for stem in figure.stems
        for kind in figure.kinds
    ]


def drawn_of_measured(wildcards):
    """Every figure and table for which a folder of measured tables has everything."""
    return [
        f"{MEASURED}/{name}.{kind}"
        for folder in MEASURED_DEVICES
        for figure, name in drawable(folder, DRAWN)
        for kind in figure.kinds
    ]


def sections(wildcards):
    """Options of the index page: figures of the study under their headings."""
    found = {}
    for figure in DRAWN:
        found.setdefault(figure.section, []).extend(f"{FIGURES}/{stem}" for stem in figure.stems)
    return " ".join(f"--section '{name}' {' '.join(stems)}" for name, stems in found.items() if stems)


def measured_sections(wildcards):
    """The same for measured tables, under the names of their devices."""
    found = {folder.name: drawable(folder, DRAWN) for folder in MEASURED_DEVICES}
    return " ".join(
        f"--section 'Measured on {device}' {' '.join(f'{MEASURED}/{name}' for _, name in figures)}"
        for device, figures in found.items()
        if figures
    )


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
    """The state in which a part of a model's run begins."""
    return end_of_part(QUIET_SAMPLE, "equilibrium", wildcards)


def before_frame(wildcards):
    """The state in which a part of a film begins."""
    return end_of_part(MOVIE_SAMPLE, "movie", wildcards)


def end_of_part(sample, run, wildcards):
    """Where the part before has ended, or the initial conditions."""
    part = int(wildcards.part)
    folder = f"{STUDY}/{sample.format(model=wildcards.model)}"
    return f"{folder}/ic.h5" if part == 1 else f"{folder}/{run}/part{part - 1}/snapshot_000.h5"


def bench_folder(word):
    """Folder of the sample that a word of gothic bench is measured on."""
    particles = BENCHES[word]["particles"] or config["particles"]
    return f"{STUDY}/{{model}}_N{particles}_s{config['seed']}"


def bench_options(wildcards):
    """Options of a word of gothic bench."""
    section = BENCHES[wildcards.word]
    steps = f" --steps {section['steps']}" if "steps" in section else ""
    return f"{SOFTENING} {HARDWARE} --repeats {section['repeats']}{steps}"


def benched(word, table=None):
    """Tables of a word for all of its models."""
    path = f"{bench_folder(word)}/bench_{table or word}.csv"
    return expand(path, model=BENCHES[word]["models"])
