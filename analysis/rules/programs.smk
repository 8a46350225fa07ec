"""The programs and their digests.

Every rule that runs or analyses results also takes the digest of a program as input. The digests are
made by a checkpoint, after which Snakemake judges all jobs again: a program that was built anew and
came out identical reruns nothing.
"""

if not config["programs"]:

    rule build:
        input:
            program_sources(),
        output:
            f"{BIN}/gothic",
            f"{BIN}/gothic-ic",
        log:
            f"{STUDY}/logs/build.log",
        params:
            root=root("."),
            directory=lambda wildcards, output: str(Path(output[0]).parents[1]),
            options=" ".join(config["build"]["options"]),
            revision=source_revision(),
        threads: ALL_CORES
        conda:
            "../../config/environment.yaml"
        shell:
            "(cmake -S {params.root} --preset default -B {params.directory} {params.options} && "
            "cmake --build {params.directory} --parallel {threads} --target gothic gothic-ic) "
            "> {log} 2>&1"


checkpoint programs:
    input:
        simulator=f"{BIN}/gothic",
        generator=f"{BIN}/gothic-ic",
    output:
        simulator=f"{STUDY}/programs/gothic.sha256",
        generator=f"{STUDY}/programs/gothic-ic.sha256",
    log:
        f"{STUDY}/logs/programs.log",
    conda:
        "../../config/environment.yaml"
    shell:
        "(sha256sum < {input.simulator} > {output.simulator} && "
        "sha256sum < {input.generator} > {output.generator}) 2> {log}"
