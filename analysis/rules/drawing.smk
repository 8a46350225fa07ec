"""One rule for each figure of DRAWN and one that draws it from the tables of analysis/measured."""

for figure in DRAWN:

    rule:
        name:
            f"figure_{figure.name}"
        input:
            simulator,
            code_of(f"figures/{figure.name}.py"),
            **figure.tables,
        output:
            **figure.outputs(FIGURES),
        log:
            f"{STUDY}/logs/figures/{figure.stem}.log",
        params:
            module=f"analysis.figures.{figure.name}",
            tables=figure.arguments,
            stem=lambda wildcards, output: os.path.splitext(output.csv)[0],
        conda:
            "../../config/environment.yaml"
        shell:
            "python -m {params.module} {params.tables} --stem {params.stem} > {log} 2>&1"

    if figure.measured:

        rule:
            name:
                f"measured_{figure.name}"
            input:
                code_of(f"figures/{figure.name}.py"),
                **figure.measured_tables(root("analysis/measured/{device}")),
            output:
                **figure.outputs(f"{MEASURED}/{{device}}"),
            log:
                f"{MEASURED}/{{device}}/logs/{figure.stem}.log",
            params:
                module=f"analysis.figures.{figure.name}",
                tables=figure.arguments,
                stem=lambda wildcards, output: os.path.splitext(output.csv)[0],
            conda:
                "../../config/environment.yaml"
            shell:
                "python -m {params.module} {params.tables} --stem {params.stem} > {log} 2>&1"
