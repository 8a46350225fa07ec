"""Functions of the rules whose jobs run on the node types of a cluster; docs/clusters.md.

Without node types there is one machine, whose programs lie in a folder without the type's name.
"""

from snakemake.settings.types import ExecutionSettings

from analysis.nodes import asked, node_of

NODES = config.get("nodes", {})
PROGRAMS = config["programs"] or f"{config['build']['directory']}{{node}}/bin"

# Jobs of a cluster have a device each, those of a machine share one.
workflow.global_resources.setdefault("device", 1)


resource_scopes:
    device="local",


# Runs that share a job do not stop each other; Snakemake does not tell it to the one within the job.
if workflow.remote_exec:
    ExecutionSettings.keep_going = property(lambda settings: True, lambda settings, told: None)


def suffix_of(node):
    """What the folder of a node type's programs ends in."""
    return f"-{node}" if node else ""


def programs_of(device):
    """Folder of the programs for runs on a device."""
    return PROGRAMS.format(node=suffix_of(node_of(NODES, device)))


def digests_of(device):
    """Digests of the programs for runs on a device; asking for them waits for the build."""
    return checkpoints.programs.get(node=suffix_of(node_of(NODES, device))).output


def threads_on(node):
    """Threads of a job, by the function of its wildcards that names the node type."""
    return lambda wildcards: NODES[node(wildcards)]["threads"] if NODES else ALL_CORES


def resources_on(node, timed=False):
    """Resources of a job, by the function of its wildcards that names the node type.

    A type that does not ask for a resource of another one has None there.
    """
    found = {name: asked(type_, timed) for name, type_ in NODES.items()}

    def of_job(name):
        return lambda wildcards: found[node(wildcards)].get(name)

    return {name: of_job(name) for name in sorted(set().union(*found.values()))}


def node_of_build(wildcards):
    """Node type that the programs are built for."""
    return wildcards.node.removeprefix("-")


def build_options(wildcards):
    """Further arguments of CMake for a node type."""
    of_type = NODES[node_of_build(wildcards)]["options"] if NODES else []
    return " ".join([*config["build"]["options"], *of_type])
