"""The recipe for Conan 2, from this checkout: conan create packaging/conan --build=missing

SINTER_PREFIX=/usr/local takes what is installed there in place of building it, and the system's libraries.
"""
import os
import pathlib
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Sinter(ConanFile):
    name = "sinter"
    description = "Fuses the operators of a C++ expression into one CUDA kernel at run time"
    license = "BSL-1.0"
    topics = ("cuda", "arrays", "expression-templates", "jit")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "cuda": [True, False]}
    default_options = {"shared": False, "cuda": True}

    @property
    def _installed(self):
        return os.environ.get("SINTER_PREFIX")

    def set_version(self):
        text = (pathlib.Path(self.recipe_folder) / "../../CMakeLists.txt").read_text(encoding="utf-8")
        self.version = re.search(r"^project\(Sinter VERSION ([\d.]+)", text, re.M)[1]

    def export_sources(self):
        if not self._installed:
            for part in ("CMakeLists.txt", "LICENSE", "cmake/*", "codegen/*", "include/*", "runtime/*", "tools/*"):
                copy(self, part, ROOT, self.export_sources_folder)

    def requirements(self):
        if not self._installed:
            self.requires("boost/[>=1.74]", transitive_headers=True, options={"header_only": True})
            for name in ("onetbb/[>=2021]", "fmt/[>=9]", "zlib/[>=1.2]", "libsodium/[>=1.0.18]"):
                self.requires(name)

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        if self._installed:
            return
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for name, value in {"TESTS": False, "EXAMPLES": False, "TOOLS": False, "PRECOMPILE": True,
                            "CUDA": bool(self.options.cuda)}.items():
            toolchain.cache_variables[f"SINTER_{name}"] = value
        toolchain.generate()

    def build(self):
        if not self._installed:
            cmake = CMake(self)
            cmake.configure()
            cmake.build()

    def package(self):
        if self._installed:
            copy(self, "*", self._installed, self.package_folder)
        else:
            CMake(self).install()

    def package_info(self):
        # Sinter's own package file, which also has the function sinter_embed_kernels.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["."]
