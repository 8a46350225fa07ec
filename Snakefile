"""From the sources to tables and figures: build -> initial conditions -> runs -> tables -> figures.

snakemake --cores all --configfile config/quick.yaml

A configuration with the key runs is a parameter study (analysis/rules/runs.smk), any other one
reproduces the measurements of the paper (analysis/rules/reproduction.smk).
"""

import copy
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
from analysis.configuration import complaints, numbered, schema_of
from analysis.lock import hold
from analysis.study import code

# Shell commands find the analysis package and the Python that runs Snakemake.
for variable, folder in {"PYTHONPATH": ROOT, "PATH": os.path.dirname(sys.executable)}.items():
    known = os.environ.get(variable, os.defpath if variable == "PATH" else "")
    os.environ[variable] = os.pathsep.join(filter(None, [os.path.abspath(folder), known]))
shell.executable("bash")


# For --software-deployment-method apptainer; config/apptainer.def describes it.
container: "gothic.sif"


config.update(numbered(config))
if mistakes := complaints(config, workflow.configfiles, workflow.config_settings.config):
    raise WorkflowError("\n".join(mistakes))
SCHEMA = str(schema_of(config))
# The schema's defaults are filled in, but where a run has those that all runs have in common.
given = copy.deepcopy(config.get("runs"))
validate(config, SCHEMA)
if given is not None:
    config["runs"] = given

STUDY = f"{config['results']}/{config['study']}"
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


if "runs" in config:

    include: "analysis/rules/runs.smk"

else:

    include: "analysis/rules/reproduction.smk"


localrules:
    all,


rule all:
    default_target: True
    input:
        TARGETS,
