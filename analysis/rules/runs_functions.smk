"""Functions of the rules of parameter studies."""


def parameters(wildcards):
    """Parameters of a run, by its path."""
    return RUNS[f"{wildcards.sample}/{wildcards.point}"]


def sampled(wildcards):
    """Model, number of particles and seed of initial conditions, by their path."""
    return parameters_of(PurePath(wildcards.sample))


def model_file(wildcards):
    """The file that describes the model of initial conditions."""
    return root(f"config/models/{sampled(wildcards)['model']}.toml")


def device_of(wildcards):
    """Device of a run."""
    return parameters(wildcards)["device"]


def node_of_sample(wildcards):
    """Node type on which initial conditions are made."""
    return node_of(NODES, "cpu")


def node_of_reference(wildcards):
    """Node type on which the direct sums are made."""
    return node_of(NODES, REFERENCE["device"])


def node_of_run(wildcards):
    """Node type that takes a run."""
    return node_of(NODES, device_of(wildcards))


def group_of_run(wildcards):
    """Runs of a node type may share a job; what is said of the group runs holds for every type."""
    group = f"runs{suffix_of(node_of_run(wildcards))}"
    workflow.parent_groupids[group] = "runs"
    return group


def digest_of_generator(wildcards):
    """Digest of the program that makes initial conditions."""
    return digests_of("cpu").generator


def digest_for_reference(wildcards):
    """Digest of the program that makes the direct sums."""
    return digests_of(REFERENCE["device"]).simulator


def digest_for_run(wildcards):
    """Digest of the program that makes a run."""
    return digests_of(device_of(wildcards)).simulator


def reference_of_run(wildcards):
    """The direct sums that the forces of a run are compared with, if any."""
    if REFERENCE is None:
        return []
    softening = spell(parameters(wildcards)["softening"])
    return [f"{SAMPLE.format(sample=wildcards.sample)}/softening~{softening}/reference.h5"]


def reference_options(wildcards):
    """Options of the direct summation."""
    softening = "" if wildcards.softening == "0" else f" --softening {wildcards.softening}"
    targets = f" --targets {n}" if (n := REFERENCE["targets"]) else ""
    return f"--precision {REFERENCE['precision']} --device {REFERENCE['device']}{targets}{softening}"


def plot_options(plot):
    """Options of analysis.plot."""
    words = [f"--x {plot['x']} --y {plot['y']}"]
    if "colour" in plot:
        words.append(f"--colour {plot['colour']}")
    for column, values in plot["where"].items():
        values = values if isinstance(values, list) else [values]
        condition = f"{column}={','.join(map(str, values))}"
        words.append(f"--where {shlex.quote(condition)}")
    return " ".join(words)
