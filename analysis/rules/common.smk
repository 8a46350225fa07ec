"""Functions of all rules: what they depend on."""


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


def code_of(module):
    """Files of the analysis package that a module consists of, so that a change reruns its rule."""
    return [os.path.relpath(path) for path in code(module)]


def simulator(wildcards):
    """Digest of gothic; asking for it waits for the build."""
    return digests_of("cpu").simulator


def generator(wildcards):
    """Digest of gothic-ic; asking for it waits for the build."""
    return digests_of("cpu").generator
