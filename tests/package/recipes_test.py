#!/usr/bin/env python3
"""The recipes of packaging/ name what the build asks for: recipes_test.py ROOT

They need Conan, vcpkg and Docker to be run; what they and CMakeLists.txt have in common is compared here.
"""
import json
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv[1])
CMAKE = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
INSTALL = re.search(r"^apt-get install .*", (ROOT / "docs/install.md").read_text(encoding="utf-8"), re.M)[0]
FOUND = set(re.findall(r"^find_package\((\w+)", CMAKE, re.M))
NAMES = {  # of a package that CMake finds: Debian's, Conan's, vcpkg's
    "Boost": ("libboost-dev", "boost", "boost-headers"), "TBB": ("libtbb-dev", "onetbb", "tbb"),
    "fmt": ("libfmt-dev", "fmt", "fmt"), "ZLIB": ("zlib1g-dev", "zlib", "zlib"),
    "Sodium": ("libsodium-dev", "libsodium", "libsodium"),
}


class Recipes(unittest.TestCase):
    def text(self, path):
        return (ROOT / "packaging" / path).read_text(encoding="utf-8")

    def test_every_library_is_in_every_recipe(self):
        self.assertEqual(FOUND, set(NAMES), "a library more or less: tell the recipes")
        vcpkg = json.loads(self.text("vcpkg/sinter/vcpkg.json"))
        ports = {d if isinstance(d, str) else d["name"] for d in vcpkg["dependencies"]}
        debian = (ROOT / "cmake/SinterPackage.cmake").read_text(encoding="utf-8")
        for apt, conan, port in NAMES.values():
            self.assertIn(apt, debian)
            self.assertIn(apt, self.text("Dockerfile"))
            self.assertIn(apt, INSTALL)
            self.assertIn(f'"{conan}/[', self.text("conan/conanfile.py"))
            self.assertIn(port, ports)

    def test_what_the_tool_needs_is_where_it_is_built(self):
        self.assertIn("find_package(CLI11 REQUIRED)", (ROOT / "tools/CMakeLists.txt").read_text(encoding="utf-8"))
        self.assertIn("libcli11-dev", self.text("Dockerfile"))
        self.assertIn("libcli11-dev", INSTALL)

    def test_headers_that_users_include_are_in_vcpkg(self):
        vcpkg = json.loads(self.text("vcpkg/sinter/vcpkg.json"))["dependencies"]
        included = {m for path in [*ROOT.glob("include/**/*.hpp"), *ROOT.glob("tools/explain/*.cpp")]
                    for m in re.findall(r"#include <boost/(\w+)[/.]", path.read_text(encoding="utf-8"))}
        for library in included:
            self.assertIn(f"boost-{library}", vcpkg)

    def test_options_exist(self):
        options = set(re.findall(r"^option\(SINTER_(\w+)", CMAKE, re.M))
        for path in ("Dockerfile", "vcpkg/sinter/portfile.cmake"):
            for name in re.findall(r"-DSINTER_(\w+)=", self.text(path)):
                self.assertIn(name, options, path)
        conan = re.search(r"in \{(.*?)\}\.items", self.text("conan/conanfile.py"), re.S)[1]
        for name in re.findall(r'"([A-Z]+)":', conan):
            self.assertIn(name, options, "conanfile.py")

    def test_one_version(self):
        version = re.search(r"^project\(Sinter VERSION ([\d.]+)", CMAKE, re.M)[1]
        self.assertEqual(json.loads(self.text("vcpkg/sinter/vcpkg.json"))["version"], version)
        self.assertIn(f"\nversion: {version}\n", (ROOT / "CITATION.cff").read_text(encoding="utf-8"))
        for path in ("tests/package/consumer/CMakeLists.txt", "packaging/conan/test_package/CMakeLists.txt"):
            wanted = re.search(r"find_package\(Sinter ([\d.]+)", (ROOT / path).read_text(encoding="utf-8"))[1]
            self.assertTrue(version.startswith(wanted + "."), path)

    def test_parts_that_are_copied_exist(self):
        for part in re.search(r"for part in \((.*?)\)", self.text("conan/conanfile.py"), re.S)[1].split(","):
            self.assertTrue((ROOT / part.strip(' "\n').rstrip("/*")).exists(), part)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
