"""Functions of all rules: what they depend on, the node types of a cluster, the jobs of runs.

Without node types there is one machine, whose programs lie in a folder without the type's name;
docs/clusters.md.
"""

PROGRAMS = config["programs"] or f"{config['build']['directory']}{{node}}/bin"


resource_scopes:
    # Jobs of a cluster have a device each, jobs of one machine share a device.
    device="local",


def root(path):
    """Path of a file of the repository, as seen from the working directory."""
    return os.path.normpath(os.path.join(ROOT, path))


def program_sources():
    """Everything that the programs are built from."""
    top = Path(root("."))
    files = [path for room in ("src", "ic", "cmake") for path in top.glob(f"{room}/**/*")]
    files += [top / "CMakeLists.txt", top / "CMakePresets.json"]
    return sorted(str(path) for path in files if path.is_file())


def source_revision():
    """State of the sources in git, which the programs carry in their provenance."""
    sources = ["--", "src", "ic", "cmake", "CMakeLists.txt"]
    answers = [
        subprocess.run(["git", "-C", ROOT, *command, *sources], capture_output=True, text=True)
        for command in (["log", "-1", "--format=%H"], ["status", "--porcelain"])
    ]
    return answers[0].stdout.strip() + ("-dirty" if answers[1].stdout else "")


def study_file():
    """File or files of the study, and what the command line changes in them, but for parts."""
    files = " ".join(os.path.relpath(path, ROOT) for path in workflow.configfiles)
    of_machine = ("results", "programs", "build", "nodes", "launcher")
    given = dict(workflow.config_settings.config)
    if runs := given.pop("runs", {}):
        given |= {"runs": {name: value for name, value in runs.items() if name != "only"}}
    changes = {name: value for name, value in given.items() if value and name not in of_machine}
    return f"{files} with {json.dumps(changes)}" if changes else files


def code():
    """Digest of the code that tables and figures are made with, so that a change makes them anew."""
    top = Path(root("analysis"))
    rooms = ("reading", "study", "paper", "figures", "docs")
    files = [*top.glob("*.py"), *(file for room in rooms for file in top.glob(f"{room}/*.*"))]
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(files))).hexdigest()


def suffix_of(node):
    """What the folder of a node type's programs ends in."""
    return f"-{node}" if node else ""


def programs_of(device):
    """Folder of the programs for runs on a device."""
    return PROGRAMS.format(node=suffix_of(node_of(NODES, device)))


def digests_of(device):
    """Digests of the programs for runs on a device; asking for them waits for the build."""
    return checkpoints.programs.get(node=suffix_of(node_of(NODES, device))).output


def simulator(wildcards):
    """Digest of the program of the machine; asking for it waits for the build."""
    return digests_of("cpu").simulator


def generator(wildcards):
    """Digest of the program that makes initial conditions."""
    return digests_of("cpu").generator


def threads_on(node):
    """Threads of a job, by the function of its wildcards that names the node type."""
    return lambda wildcards: NODES[node(wildcards)]["threads"] if NODES else ALL_CORES


def resources_on(node, runs=lambda wildcards: 0, ranks=lambda wildcards: 1):
    """Resources of a job, by functions of its wildcards: its node type, its runs and their ranks.

    A type that does not ask for a resource of another one has None there.
    """

    def of_job(name):
        return lambda wildcards: asked(
            NODES[node(wildcards)], runs(wildcards), ranks(wildcards)
        ).get(name)

    names = {name for type_ in NODES.values() for name in asked(type_, 1, 2)}
    return {name: of_job(name) for name in sorted(names)}


def node_of_build(wildcards):
    """Node type that the programs are built for."""
    return wildcards.node.removeprefix("-")


def build_options(wildcards):
    """Further arguments of CMake for a node type."""
    of_type = NODES[node_of_build(wildcards)]["options"] if NODES else []
    return " ".join([*config["build"]["options"], *of_type])


def jobs_of_runs():
    """Runs by the name of the job that makes them: so many at a time, alike in device and ranks."""
    by_node = {}
    for run, parameters in RUNS.items():
        node, device = node_of(NODES, parameters["device"]), parameters["device"]
        several = f"-{parameters['ranks']}ranks" if parameters["ranks"] > 1 else ""
        name = f"{node or 'here'}-{device.replace(':', '')}{several}"
        by_node.setdefault(name, []).append(run)
    size = config["runs_per_job"]
    return {
        f"{name}-{first // size + 1}": runs[first : first + size]
        for name, runs in by_node.items()
        for first in range(0, len(runs), size)
    }


def parameters_of_job(wildcards):
    """Parameters of the runs of a job."""
    return [RUNS[run] for run in JOBS[wildcards.job]]


def device_of(wildcards):
    """Device of the runs of a job."""
    return parameters_of_job(wildcards)[0]["device"]


def ranks_of(wildcards):
    """Ranks of each run of a job."""
    return parameters_of_job(wildcards)[0]["ranks"]


def threads_of_rank(wildcards, threads):
    """Threads of each rank: ranks share a machine, but a job on a cluster has them for each."""
    return threads if NODES else max(1, threads // ranks_of(wildcards))


def launcher_option(wildcards, threads):
    """Option that tells what starts the runs of a job on several ranks."""
    template = config["launcher"] or (SRUN if NODES else MPIRUN)
    words = launched(template, ranks_of(wildcards), threads_of_rank(wildcards, threads))
    return f"--launcher {shlex.quote(words)}" if words else ""


def parameters_in(path):
    """Parameters that a part of a path tells."""
    return parameters_of(PurePath(path))


def model_of(path):
    """Model file of the particles of a path: its own, or a copy where keys of it are changed."""
    parameters = parameters_in(path)
    if model_keys(parameters):
        return f"{STUDY}/ic/{model_folder(parameters)}/model.toml"
    return str(file_of(parameters["model"]))


def tables_of_model(path):
    """Tables of profiles that the model of a path reads."""
    parameters = parameters_in(path)
    return tables_of(file_of(parameters["model"]), model_keys(parameters))


def drawing_options(wildcards):
    """Options of gothic-ic that a path of particles tells."""
    told = parameters_in(wildcards.sample)
    flags = [f"--{name.replace('_', '-')}" for name in DRAWING if told.get(name)]
    return " ".join([f"--particles {told['particles']} --seed {told['seed']}", *flags])


def particles_of(path):
    """Initial conditions at a path: an input, or particles that are drawn."""
    return parameters_in(path).get("input") or f"{STUDY}/ic/{path}/ic.h5"


def check_of(parameters):
    """Table of what the model of some parameters is like."""
    return f"{STUDY}/ic/{model_folder(parameters)}/check.csv"


def files_of_job(wildcards):
    """Initial conditions of the runs of a job, and other files that they read."""
    runs = parameters_of_job(wildcards)
    files = [particles_of(sample(run)) for run in runs]
    return [*dict.fromkeys([*files, *(file for run in runs for file in files_of_run(run))])]


def references_of_job(wildcards):
    """Direct sums that the forces of the runs of a job are compared with, if any."""
    found = dict.fromkeys(
        f"{STUDY}/ic/{sample(run)}/{pull(run)}/reference.h5"
        for run in parameters_of_job(wildcards)
    )
    return [*found] if REFERENCE else []


def reference_options(wildcards):
    """Options of the direct summation."""
    told = {name: value for name, value in parameters_in(wildcards.pull).items() if value != 0}
    told |= {name: REFERENCE[name] for name in ("precision", "device")}
    if n := REFERENCE["targets"]:
        told["targets"] = n
    return " ".join(f"--{name} {shlex.quote(str(value))}" for name, value in told.items())


def files_of_bench(wildcards):
    """Initial conditions that a word of gothic bench is measured on."""
    particles = particles_of_bench(BENCHES[wildcards.word], config["runs"]["defaults"])
    return [f"{STUDY}/ic/{sample(one)}/ic.h5" for one in particles]


def device_of_bench():
    """Device of the measurements: the device of the runs."""
    return config["runs"]["defaults"].get("device", "auto")


def bench_options(wildcards, threads):
    """Options of a word of gothic bench."""
    bench, common = BENCHES[wildcards.word], config["runs"]["defaults"]
    words = {"device": device_of_bench(), "threads": common.get("threads", 0) or threads}
    words["repeats"] = bench["repeats"]
    if wildcards.word in ("steps", "rebuild", "extent"):
        words["steps"] = bench["steps"]
    if wildcards.word == "domains":
        words |= {name: bench[name] for name in ("bandwidth", "latency") if bench[name]}
    if wildcards.word == "peak":
        words["buffer-bytes"] = bench["buffer_bytes"]
    else:
        chosen = ("softening", "order", "as_published")
        words |= {name.replace("_", "-"): common[name] for name in chosen if common.get(name)}
    return " ".join(f"--{name} {value}" for name, value in words.items())
