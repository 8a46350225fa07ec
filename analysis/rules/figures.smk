"""Figures, a process for those that need the same, and the pages that show them."""

MEASURED = f"{config['results']}/measured"
# DEVICE/STUDY of the tables that figures are drawn of.
KEPT = [
    str(study.relative_to(FOLDER))
    for study in kept_studies()
    if json.loads((study / "study.json").read_text())["figures"]
]
PARTICLES = [figure["where"] for figure in DRAWN if figure["kind"] in ("model", "map")]
# What each group of figures is drawn from.
NEEDED = {
    "runs": [f"{STUDY}/runs.parquet"] if RUNS else [],
    "benches": [f"{STUDY}/runs.parquet"] * bool(RUNS) + BENCH_TABLES,
    "particles": sorted(
        {f"{STUDY}/ic/{sample({'seed': 1} | where)}/ic.h5" for where in PARTICLES}
        | {check_of(where) for where in PARTICLES}
    ),
}
DRAWN_FILES = {group: files_of(DRAWN, group, FIGURES) for group in NEEDED}
GROUPS = {group: f"{STUDY}/{FAILURES.format(group)}" for group in NEEDED if DRAWN_FILES[group]}
# Digests of points that are laid over plots.
OVERLAYS = {
    overlay["file"]: digest_of(overlay) for figure in DRAWN for overlay in figure.get("overlay", [])
}
# A group is drawn again if one of its figures was removed or has failed.
for group, failures in GROUPS.items():
    drawn = all(map(os.path.exists, DRAWN_FILES[group]))
    if workflow.is_main_process and not drawn:
        Path(failures).unlink(missing_ok=True)


localrules:
    figures,
    index,
    measured,


for group, failures in GROUPS.items():

    rule:
        name:
            f"figures_of_{group}"
        input:
            simulator,
            f"{STUDY}/study.json",
            NEEDED[group],
        output:
            failures,
        log:
            f"{STUDY}/logs/figures_of_{group}.log",
        params:
            study=lambda wildcards: STUDY,
            group=group,
            figures=lambda wildcards: FIGURES,
            overlays=OVERLAYS if group == "runs" else {},
            code=CODE,
        priority: 2
        localrule: True
        conda:
            "../../config/environment.yaml"
        shell:
            "python -m analysis.figures.draw {params.study} --group {params.group} "
            "--output {params.figures} --failures {output} > {log} 2>&1"


rule index:
    """A page that shows all figures of the study; results/figures leads to them, too."""
    input:
        simulator,
        GROUPS.values(),
        f"{STUDY}/study.json",
    output:
        f"{config['results']}/index.html",
    log:
        f"{STUDY}/logs/index.log",
    params:
        study=lambda wildcards: STUDY,
        figures=lambda wildcards: FIGURES,
        link=lambda wildcards: f"{config['results']}/figures",
        target=f"{config['study']}/figures",
        code=CODE,
    conda:
        "../../config/environment.yaml"
    shell:
        "(mkdir -p {params.figures}; [ -e {params.link} ] && [ ! -L {params.link} ] || "
        "ln -sfn {params.target} {params.link}; "
        "python -m analysis.docs.pages --output {output} {params.study}={params.figures}) > {log} 2>&1"


rule figures:
    """Fails if a figure has failed, after the page has told so."""
    input:
        simulator,
        f"{config['results']}/index.html",
        GROUPS.values(),
    output:
        touch(f"{STUDY}/figures.done"),
    log:
        f"{STUDY}/logs/figures.log",
    params:
        study=lambda wildcards: STUDY,
    conda:
        "../../config/environment.yaml"
    shell:
        "python -m analysis.study.failures {params.study} > {log} 2>&1"


rule measured_figures:
    input:
        root("analysis/measured/{kept}/study.json"),
    output:
        directory(f"{MEASURED}/{{kept}}"),
    log:
        f"{MEASURED}/{{kept}}.log",
    params:
        study=lambda wildcards, input: os.path.dirname(input[0]),
        code=CODE,
    wildcard_constraints:
        kept="[A-Za-z0-9_-]+/[A-Za-z0-9_-]+",
    conda:
        "../../config/environment.yaml"
    shell:
        "python -m analysis.figures.draw {params.study} --output {output} > {log} 2>&1"


rule measured:
    """Figures of the tables in analysis/measured, on a page; no program is needed."""
    input:
        figures=expand(f"{MEASURED}/{{kept}}", kept=KEPT),
    output:
        f"{config['results']}/measured.html",
    log:
        f"{MEASURED}/index.log",
    params:
        studies=[f"{root(f'analysis/measured/{kept}')}={MEASURED}/{kept}" for kept in KEPT],
        code=CODE,
    conda:
        "../../config/environment.yaml"
    shell:
        "python -m analysis.docs.pages --output {output} {params.studies} > {log} 2>&1"


rule report:
    """What the folder of results holds now, and what was measured on other devices, in one file."""
    input:
        expand(f"{MEASURED}/{{kept}}", kept=KEPT),
    output:
        f"{config['results']}/report.html",
    log:
        f"{config['results']}/report.log",
    params:
        code=CODE,
    conda:
        "../../config/environment.yaml"
    shell:
        "python -m analysis.docs.pages --output {output} > {log} 2>&1"
