#!/usr/bin/env python3
"""tools/check_sizes.py finds files, functions, lines and folders that are too large."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKER = pathlib.Path(__file__).parents[2] / "tools/check_sizes.py"


def faults_of_tree(files):
    """The lines that the checker prints for such a tree, and its exit code."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = pathlib.Path(root) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, CHECKER, root], capture_output=True, text=True)
    return done.stdout.splitlines(), done.returncode


def faults_of(text, name="graph/a.cpp"):
    return faults_of_tree({name: text})


def function_of(lines, head="int f() {"):
    return head + "\n" + "  g();\n" * (lines - 2) + "}\n"


class CheckSizesTest(unittest.TestCase):
    def test_long_lines_are_found_but_for_includes(self):
        long_include = '#include "' + "x" * 100 + '"\n'
        self.assertEqual(faults_of("/" * 100 + "\n" + long_include), (["sizes ok: 1 files"], 0))
        self.assertEqual(
            faults_of("\n" + "/" * 101), (["graph/a.cpp:2: 101 columns, at most 100"], 1)
        )

    def test_long_files_are_found(self):
        self.assertEqual(faults_of("\n" * 400), (["sizes ok: 1 files"], 0))
        self.assertEqual(faults_of("\n" * 401), (["graph/a.cpp:1: 401 lines, at most 400"], 1))

    def test_long_functions_are_found(self):
        self.assertEqual(faults_of(function_of(61)), (["sizes ok: 1 files"], 0))
        self.assertEqual(
            faults_of("\n" + function_of(70)),
            (["graph/a.cpp:2: a function of 69 lines, at most 60"], 1),
        )

    def test_a_long_class_or_namespace_is_no_function(self):
        for head in ("namespace a {", "struct A : B {"):
            self.assertEqual(faults_of(function_of(70, head)), (["sizes ok: 1 files"], 0))

    def test_folders_with_too_many_nouns_are_found(self):
        pairs = {f"graph/n{i}{suffix}": "" for i in range(20) for suffix in (".hpp", ".cpp")}
        others = {"graph/README.md": "", "graph/CMakeLists.txt": "", "graph/room/x.hpp": ""}
        self.assertEqual(faults_of_tree(pairs | others)[1], 0)
        full = (["graph/: 21 nouns, at most 20"], 1)
        self.assertEqual(faults_of_tree(pairs | others | {"graph/one_more.py": ""}), full)
        self.assertEqual(faults_of_tree(pairs | {"graph/n0_test.cpp": ""}), full)

    def test_hidden_folders_are_skipped(self):
        self.assertEqual(faults_of("/" * 101, "graph/.cache/a.cpp"), (["sizes ok: 0 files"], 0))


if __name__ == "__main__":
    unittest.main()
