"""Pages that show all figures and tables."""


rule index:
    input:
        simulator,
        code_of("index.py"),
        figures=drawn,
    output:
        f"{config['results']}/index.html",
    log:
        f"{STUDY}/logs/index.log",
    params:
        title=f"GOTHIC: the study {config['study']}",
        note="<p>Figures and tables of this study. Those drawn from tables that were measured on "
        "other devices are in <a href=measured.html>measured.html</a>, which the target measured "
        "makes.</p>",
        sections=sections,
    conda:
        "../../config/environment.yaml"
    shell:
        "python -m analysis.index --title '{params.title}' --note '{params.note}' "
        "--output {output} {params.sections} > {log} 2>&1"


rule measured_index:
    input:
        code_of("index.py"),
        figures=drawn_of_measured,
    output:
        f"{config['results']}/measured.html",
    log:
        f"{MEASURED}/logs/index.log",
    params:
        title="GOTHIC: measured on other devices",
        note="<p>Drawn from the tables in analysis/measured. Those of the study on this machine "
        "are in <a href=index.html>index.html</a>.</p>",
        sections=measured_sections,
    conda:
        "../../config/environment.yaml"
    shell:
        "python -m analysis.index --title '{params.title}' --note '{params.note}' "
        "--output {output} {params.sections} > {log} 2>&1"


rule report:
    """What the folder of results holds now, and what was measured on other devices, in one file."""
    input:
        code_of("report.py"),
        figures=drawn_of_measured,
    output:
        f"{config['results']}/report.html",
    log:
        f"{MEASURED}/logs/report.log",
    params:
        title="GOTHIC: accuracy and speed",
        note="<p>Figures of this machine come first, where the study was made, then those of tables "
        "that were measured on other devices.</p>",
        sections=sections,
        measured=measured_sections,
    conda:
        "../../config/environment.yaml"
    shell:
        "python -m analysis.report --title '{params.title}' --note '{params.note}' "
        "--output {output} {params.sections} {params.measured} > {log} 2>&1"
