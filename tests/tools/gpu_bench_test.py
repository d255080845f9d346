#!/usr/bin/env python3
"""tools/bench --gpu compares rows that both sides have, or says that there is no GPU.

Usage: tests/tools/gpu_bench_test.py PROGRAM
"""

import os
import pathlib
import runpy
import subprocess
import sys
import tempfile
import textwrap
import unittest

PROGRAM = sys.argv.pop(1)
GPU = pathlib.Path(__file__).resolve().parents[1] / "benchmarks/gpu"
SKIPPED = 77
sys.path.insert(0, str(GPU))

import torch_side  # noqa: E402

compare, table_line = map(runpy.run_path(str(GPU / "__main__.py")).get, ("compare", "table_line"))

# Has three rows, of which one fails and one ends the process.
FAKE_PROGRAM = """
import json, sys
if "--list" in sys.argv:
    sys.exit(print("copy\\nsum\\nsoftmax"))
print(json.dumps({"version": "a card"}), flush=True)
for line in sys.stdin:
    name = json.loads(line)["workload"]
    if name == "softmax":
        sys.exit("out of luck")
    answer = {"error": "no"} if name == "sum" else {"unit": "GB/s", "value": 3000, "note": "1 us"}
    print(json.dumps(answer), flush=True)
"""


def run(program, *arguments):
    return subprocess.run(
        [sys.executable, GPU, "--program", program, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
    )


def answers(troupe, pytorch, unit):
    return {"troupe": {"unit": unit, "value": troupe}, "pytorch": {"unit": unit, "value": pytorch}}


class GpuBenchTest(unittest.TestCase):
    def test_both_sides_have_the_same_rows(self):
        listed = subprocess.run([PROGRAM, "--list"], capture_output=True, text=True, check=True)
        self.assertEqual(listed.stdout.split(), list(torch_side.all_rows()))

    def test_rows_are_chosen_by_an_expression(self):
        done = run(PROGRAM, "--list", "--only", "^matmul_.*_tf32$")
        self.assertEqual(len(done.stdout.split()), 4, done.stderr)
        self.assertEqual(run(PROGRAM, "--only", "(").returncode, 2)

    @unittest.skipIf(os.path.exists("/dev/nvidiactl"), "there may be a GPU")
    def test_without_a_gpu_one_line_says_so(self):
        for done in (run(PROGRAM), subprocess.run([PROGRAM], capture_output=True, text=True)):
            self.assertEqual(done.returncode, SKIPPED)
            self.assertEqual(done.stdout, "")
            self.assertRegex(done.stderr, r"^\S+ there is no device 'GPU:0'; .*\n$")

    def test_a_row_that_fails_does_not_end_the_others(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program"
            program.write_text(f"#!{sys.executable}\n" + textwrap.dedent(FAKE_PROGRAM))
            program.chmod(0o755)
            done = run(program)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"copy +GB/s +3,000 ")
        self.assertRegex(done.stdout, r"sum .* failed .*troupe: no")
        self.assertRegex(done.stdout, r"softmax .* failed .*out of luck")

    def test_a_ratio_over_1_means_that_troupe_is_ahead(self):
        row = compare("matmul_1024_float32", answers(10, 20, "us"), None)
        self.assertEqual((row["ratio"], row["is_met"]), (2, True))
        row = compare("small_step", answers(20, 10, "us"), None)
        self.assertEqual((row["ratio"], row["is_met"]), (0.5, False))

    def test_goals_are_parts_of_the_speed_of_copies(self):
        row = compare("sum", answers(2800, 2700, "GB/s"), 3000)
        self.assertTrue(row["is_met"])
        self.assertFalse(compare("sum", answers(2500, 2700, "GB/s"), 3000)["is_met"])
        self.assertIsNone(compare("sum", answers(2600, 2700, "GB/s"), None)["is_met"])
        self.assertRegex(table_line(row), r"^sum +GB/s +2,800 +2,700 +1\.04 +85% of copy +met$")


if __name__ == "__main__":
    unittest.main()
