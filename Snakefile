"""The way from sources to figures: build -> initial conditions -> runs -> tables -> figures.

snakemake --cores all --configfile config/quick.yaml

docs/studies.md tells what a configuration may hold.
"""

import hashlib
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path, PurePath

from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version

min_version("9.0")

if not config:
    configfile: "config/quick.yaml"

ROOT = os.path.relpath(workflow.basedir)
sys.path.insert(0, os.path.abspath(ROOT))
from analysis.measured import FOLDER, kept_studies
from analysis.study.configuration import complaints, judged_values, numbered
from analysis.study.failures import FILE as FAILURES
from analysis.study.figure_kinds import chosen_runs, figures_of, files_of
from analysis.study.lock import hold
from analysis.study.model_files import file_of, tables_of
from analysis.study.node_types import MPIRUN, SRUN, asked, launched, node_of
from analysis.study.overlay import digest_of
from analysis.study.schema import filled, files_of as files_of_run, rules as schema_rules, run_defaults
from analysis.study.parameters import (
    DRAWING,
    all_runs,
    model_folder,
    model_keys,
    parameters_of,
    particles_of_bench,
    pull,
    runs_by_path,
    sample,
)

# Shell commands find the analysis package and the Python that runs Snakemake.
for variable, folder in {"PYTHONPATH": ROOT, "PATH": os.path.dirname(sys.executable)}.items():
    known = os.environ.get(variable, os.defpath if variable == "PATH" else "")
    os.environ[variable] = os.pathsep.join(filter(None, [os.path.abspath(folder), known]))
shell.executable("bash")


# For --software-deployment-method apptainer; config/apptainer.def describes it.
container: "gothic.sif"


config.update(numbered(config))
if mistakes := complaints(
    config,
    workflow.configfiles,
    workflow.config_settings.config,
    workflow.resource_settings.cores,
):
    raise WorkflowError("\n".join(mistakes))
config.update(filled(config, schema_rules()))

STUDY = f"{config['results']}/{config['study']}"
FIGURES = f"{STUDY}/figures"
NODES = config["nodes"]
ALL_CORES = workflow.resource_settings.cores or 1
if not (NODES or workflow.resource_settings.cores):
    raise WorkflowError(
        "a study on a cluster needs nodes, from a file like config/nodes_example.yaml; "
        "on one node it runs with --cores N in one job; see docs/clusters.md"
    )


# A study that begins is told what it will take by the checkpoint programs.
if workflow.is_main_process and {"-n", "--dry-run", "--dryrun"} & {*sys.argv}:
    words = ["--given", json.dumps(workflow.config_settings.config), "--cores", str(ALL_CORES)]
    subprocess.run(
        [sys.executable, "-m", "analysis.study.configuration", *workflow.configfiles, *words, "--dry-run"],
        stdout=sys.stderr,
        check=False,
    )


onstart:
    hold(config["results"])


include: "analysis/rules/functions.smk"
include: "analysis/rules/programs.smk"
include: "analysis/rules/runs.smk"
include: "analysis/rules/figures.smk"


localrules:
    all,


rule all:
    default_target: True
    input:
        simulator,
        [f"{STUDY}/runs/{job}.done" for job in JOBS],
        f"{STUDY}/runs.parquet" if RUNS else [],
        [] if IS_PART else [BENCH_TABLES, f"{config['results']}/index.html", f"{STUDY}/figures.done"],
