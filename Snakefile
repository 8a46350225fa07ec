"""From the sources to tables and figures: build -> initial conditions -> runs -> tables -> figures.

snakemake --cores all --configfile config/quick.yaml

A configuration with the key runs is a parameter study (analysis/rules/runs.smk), any other one
reproduces the measurements of the paper (analysis/rules/reproduction.smk).
"""

import os
import subprocess
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version, validate

min_version("9.0")

if not config:
    configfile: "config/quick.yaml"

ROOT = os.path.relpath(workflow.basedir)
sys.path.insert(0, os.path.abspath(ROOT))
from analysis.configuration import complaints, with_numbers
from analysis.lock import hold
from analysis.study import code

# Shell commands find the analysis package and the Python that runs Snakemake.
os.environ.update(
    PYTHONPATH=os.path.abspath(ROOT),
    PATH=os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)]),
)
shell.executable("bash")


# For --software-deployment-method apptainer; config/apptainer.def describes it.
container: "gothic.sif"


STUDIES = "runs" in config
SCHEMA = "config/schema_runs.yaml" if STUDIES else "config/schema.yaml"
if STUDIES:
    config.update({key: with_numbers(config[key]) for key in ("runs", "plots") if key in config})
mistakes = complaints(
    config, Path(ROOT, SCHEMA), workflow.configfiles, workflow.config_settings.config
)
if mistakes:
    raise WorkflowError("\n".join([*mistakes, f"{SCHEMA} tells what is known"]))
validate(config, SCHEMA)

STUDY = f"{config['results']}/{config['study']}"
BIN = config["programs"] or f"{config['build']['directory']}/bin"
ALL_CORES = workflow.resource_settings.cores or 1
if not (config.get("nodes") or workflow.resource_settings.cores):
    raise WorkflowError(
        "a parameter study on a cluster needs nodes, from a file like config/nodes_example.yaml; "
        "everything else runs with --cores N in one job; see docs/clusters.md"
    )


onstart:
    hold(config["results"])


include: "analysis/rules/common.smk"
include: "analysis/rules/nodes.smk"
include: "analysis/rules/programs.smk"


if STUDIES:

    include: "analysis/rules/runs.smk"

else:

    include: "analysis/rules/reproduction.smk"


localrules:
    all,


rule all:
    default_target: True
    input:
        TARGETS,
