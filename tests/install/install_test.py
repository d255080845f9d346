#!/usr/bin/env python3
"""What a user does after `cmake --install`: the examples, as the project of somebody else.

Usage: tests/install/install_test.py BUILD [CMAKE OPTION...]
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()
CMAKE_OPTIONS = sys.argv[2:]
WORK = BUILD / "install_test"
INSTALLED = WORK / "installed"
PREFIX = WORK / "troupe"  # where the installed copy is moved to
EXAMPLES = WORK / "examples"

# A header for each component: what it includes is public.
UMBRELLAS = ["capnp/client.hpp", "capnp/server.hpp", "actors/actors.hpp", "actors/simulation.hpp",
             "devices/op_library.hpp"]

# A client's machine needs not have what only nodes stand on.
CLIENT_PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(client LANGUAGES CXX)
foreach(package TBB spdlog ZLIB Protobuf nlohmann_json)
  set(CMAKE_DISABLE_FIND_PACKAGE_${package} TRUE)
endforeach()
find_package(Troupe 0.1 REQUIRED COMPONENTS client)
if(NOT TARGET Troupe::client OR TARGET Troupe::server)
  message(FATAL_ERROR "not what was asked for")
endif()
foreach(wrong "0.1;COMPONENTS;nonsense" "99")
  find_package(Troupe ${wrong} QUIET)
  if(Troupe_FOUND)
    message(FATAL_ERROR "Troupe ${wrong} was found")
  endif()
endforeach()
"""


def run(*command, cwd=WORK):
    """What the command prints; the test fails where it does."""
    command = [str(part) for part in command]
    ended = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300)
    if ended.returncode:
        raise AssertionError(f"{' '.join(command)} failed:\n{ended.stdout}{ended.stderr}")
    return ended.stdout


def configure(source, build):
    run("cmake", "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={PREFIX}",
        *CMAKE_OPTIONS)


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for folder in (INSTALLED, PREFIX):
            shutil.rmtree(folder, ignore_errors=True)
        WORK.mkdir(exist_ok=True)
        run("cmake", "--install", BUILD, "--prefix", INSTALLED)
        INSTALLED.rename(PREFIX)
        configure(PREFIX / "share/troupe/examples", EXAMPLES)
        run("cmake", "--build", EXAMPLES)

    def test_headers_schemas_pages_and_programs_are_installed(self):
        for file in ["include/troupe/capnp/client.hpp", "include/troupe/capnp/session.capnp",
                     "include/troupe_ops/ops.hpp", "share/doc/troupe/LICENSE",
                     "share/doc/troupe/README.md", "share/doc/troupe/ops.md",
                     "bin/troupe", "bin/troupe-node", "bin/troupe-swarm",
                     "bin/digits"]:
            self.assertTrue((PREFIX / file).is_file(), file)
        self.assertIn(" MatMul,", (PREFIX / "share/doc/troupe/ops.md").read_text())
        for program in ["troupe", "troupe-node", "troupe-swarm", "digits"]:
            run(PREFIX / "bin" / program, "--help")

    def test_public_headers_are_apart_from_what_they_include(self):
        public = {str(file.relative_to(PREFIX / "include/troupe"))
                  for file in (PREFIX / "include/troupe").rglob("*.hpp")}
        named = set(UMBRELLAS)
        for umbrella in UMBRELLAS:
            text = (PREFIX / "include/troupe" / umbrella).read_text()
            named.update(re.findall('^#include "troupe/(.*)"', text, re.MULTILINE))
        self.assertEqual(public, named)
        internal = PREFIX / "include/troupe-internal/troupe"
        self.assertTrue((internal / "graph/types/allocator.hpp").is_file())
        self.assertFalse((internal / "devices/executor.hpp").exists())

    def test_the_package_does_not_say_where_it_was_installed_or_built(self):
        for file in (PREFIX / "lib").rglob("*.cmake"):
            text = file.read_text()
            for path in (INSTALLED, BUILD, ROOT, "/usr/lib"):
                self.assertNotIn(str(path), text, file)

    def test_a_traced_step_over_installed_nodes_is_drawn(self):
        run(PREFIX / "bin/troupe", "launch", "ps=1", "worker=1", "--client", "--",
            EXAMPLES / "traced_step", "{worker:0}")
        trace = json.loads((WORK / "step.json").read_text())
        names = {event["name"] for event in trace["traceEvents"]}
        self.assertLessEqual({"process_name", "MatMul", "_recv/0"}, names)
        if shutil.which("dot"):
            self.assertIn("<svg", run("dot", "-Tsvg", WORK / "step.dot"))

    def test_a_convolutional_network_learns_over_installed_nodes(self):
        said = run(PREFIX / "bin/troupe", "launch", "ps=1", "worker=1", "--client", "--",
                   EXAMPLES / "convolutional_network", "{worker:0}")
        accuracy, steps = re.search(r"accuracy ([\d.]+) after (\d+) steps", said).groups()
        self.assertGreater(float(accuracy), 0.9)
        self.assertEqual(steps, "100")

    def test_a_simulated_cluster_tests_a_users_program(self):
        self.assertIn("lost /job:worker/task:1", run(EXAMPLES / "failing_task"))

    def test_whole_programs_run_in_simulation_and_a_planted_bug_is_found(self):
        said = run(EXAMPLES / "simulated_regression", "30")
        self.assertIn("30 seeds are clean", said)
        faults = re.findall(r"cluster\.at\(.*?\)\.(\w+)", said)
        self.assertIn(faults, [["freeze", "thaw"], ["cut", "heal"]])

    def test_the_installed_digits_train(self):
        run(PREFIX / "bin/digits", "--epochs", "1", "--workers", "1")

    def test_a_client_needs_few_packages(self):
        source = WORK / "client_source"
        source.mkdir(exist_ok=True)
        (source / "CMakeLists.txt").write_text(CLIENT_PROJECT)
        configure(source, WORK / "client")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
