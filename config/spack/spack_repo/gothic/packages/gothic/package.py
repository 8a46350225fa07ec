"""The programs of this checkout for Spack; docs/clusters.md tells how to use it."""

from pathlib import Path

from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
from spack_repo.builtin.build_systems.cuda import CudaPackage

CHECKOUT = Path(__file__).resolve().parents[6]


class Gothic(CMakePackage, CudaPackage):
    """Gravitational oct-tree N-body code with block time steps."""

    git = f"file://{CHECKOUT}"
    license("MIT")

    version("main", branch="main")

    variant("mpi", default=True, description="One simulation on several devices or nodes")

    generator("ninja")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("git", type="build")
    depends_on("python@3.11:", type="build")
    depends_on("hdf5")
    depends_on("zlib-api")
    depends_on("fmt")
    depends_on("nlohmann-json")
    depends_on("utf8cpp")
    depends_on("cli11")
    depends_on("tomlplusplus")
    depends_on("random123")
    depends_on("boost")
    depends_on("mpi", when="+mpi")

    def cmake_args(self):
        """List the arguments of CMake's configure step."""
        arguments = [
            self.define_from_variant("GOTHIC_CUDA", "cuda"),
            self.define("GOTHIC_PYTHON", "OFF"),
            self.define("GOTHIC_TESTS", False),
            self.define_from_variant("GOTHIC_MPI", "mpi"),
        ]
        if self.spec.satisfies("+cuda"):
            architectures = self.spec.variants["cuda_arch"].value
            arguments.append(self.define("CMAKE_CUDA_ARCHITECTURES", architectures))
        return arguments
