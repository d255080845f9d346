#!/usr/bin/env python3
"""Tests that a folder of tools/bundle runs where none of the distribution's libraries are found.

Usage: tests/tools/bundle_test.py BUILD
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ("cuda_test", "troupe", "troupe-gpu-bench")
# What the other machine has: the C library and NVIDIA's.
OF_SYSTEM = re.compile(
    r"(ld-linux|linux-vdso|libcu|libnv|lib(c|m|dl|rt|pthread|resolv|util)\.)"
)


def libraries_of(file):
    """Where each library that a file needs is found, by name; None where it is not."""
    ldd = subprocess.run(["ldd", file], env={}, capture_output=True, text=True, check=True)
    found = {}
    for line in ldd.stdout.splitlines():
        name, arrow, rest = line.strip().partition(" => ")
        if arrow:
            found[name] = None if rest.startswith("not found") else rest.split(" (")[0]
    return found


class BundleTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        made = pathlib.Path(cls.folder.name) / "made"
        subprocess.run(
            [ROOT / "tools/bundle", "--build", BUILD, "--output", made, *PROGRAMS],
            check=True,
            capture_output=True,
        )
        cls.bundle = made.rename(made.with_name("moved"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_all_libraries_are_those_of_the_folder(self):
        files = [*(self.bundle / "bin").iterdir(), *(self.bundle / "lib").iterdir()]
        self.assertGreater(len(files), 5)
        for file in (self.bundle / "bin").iterdir():
            for name, place in libraries_of(file).items():
                if not OF_SYSTEM.match(name):
                    self.assertEqual(place, str(self.bundle / "bin/../lib" / name), file.name)

    def test_programs_start_without_an_environment(self):
        for program in PROGRAMS:
            codes = [0, 77] if program == "cuda_test" else [0]
            arguments = [] if program == "cuda_test" else ["--help"]
            done = subprocess.run(
                [self.bundle / "bin" / program, *arguments], env={}, capture_output=True, text=True
            )
            self.assertIn(done.returncode, codes, done.stdout + done.stderr)

    def test_the_comparison_with_pytorch_runs_its_program(self):
        comparison = self.bundle / "share/troupe/benchmarks/gpu"
        done = subprocess.run(
            [sys.executable, comparison, "--list"], env={}, capture_output=True, text=True
        )
        self.assertIn("matmul_1024_tf32", done.stdout.split(), done.stderr)

    def test_the_recorded_calls_are_there(self):
        self.assertTrue(list((self.bundle / "share/troupe/calls").rglob("*.json")))


if __name__ == "__main__":
    unittest.main()
