"""The programs and their digests.

Every rule that runs or analyses results also takes the digest of a program as input. The digests are
made by a checkpoint, after which Snakemake judges all jobs again: a program that was built anew and
came out identical reruns nothing. The checkpoint tells what the study will take. It fails where the
study gives an option a value that the program does not take, or takes more hours than it may, so
that nothing is made.
"""


wildcard_constraints:
    node=f"({'|'.join(map(suffix_of, NODES))})?",


if not config["programs"]:

    rule build:
        """The programs of a node type, or of this machine.

        A build that a killed workflow has left behind is waited for: it holds the lock.
        """
        input:
            program_sources(),
        output:
            f"{PROGRAMS}/gothic",
            f"{PROGRAMS}/gothic-ic",
        log:
            f"{STUDY}/logs/build{{node}}.log",
        params:
            root=root("."),
            directory=lambda wildcards, output: str(Path(output[0]).parents[1]),
            options=build_options,
            revision=source_revision(),
        threads: threads_on(node_of_build)
        resources:
            **resources_on(node_of_build),
        conda:
            "../../config/environment.yaml"
        shell:
            "mkdir -p {params.directory}; exec 9> {params.directory}/.lock; flock 9; "
            "(cmake -S {params.root} --preset default -B {params.directory} {params.options} && "
            "cmake --build {params.directory} --parallel {threads} "
            "--target gothic gothic-ic python_package) "
            "> {log} 2>&1"


checkpoint programs:
    input:
        simulator=f"{PROGRAMS}/gothic",
        generator=f"{PROGRAMS}/gothic-ic",
    output:
        simulator=f"{STUDY}/programs{{node}}/gothic.sha256",
        generator=f"{STUDY}/programs{{node}}/gothic-ic.sha256",
    log:
        f"{STUDY}/logs/programs{{node}}.log",
    params:
        folder=lambda wildcards, input: os.path.dirname(input.simulator),
        files=list(map(str, workflow.configfiles)),
        given=json.dumps(workflow.config_settings.config),
        values=judged_values(config),  # others are judged anew
    resources:
        **resources_on(node_of_build),
    conda:
        "../../config/environment.yaml"
    shell:
        "(python -m analysis.study.configuration {params.files:q} --given {params.given:q} "
        "--programs {params.folder} && "
        "sha256sum < {input.simulator} > {output.simulator} && "
        "sha256sum < {input.generator} > {output.generator}) 2> {log}"
