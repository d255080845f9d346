"""Benchmarks of programs."""

import contextlib
import io
import os
import subprocess
import sys
import unittest
from unittest import mock

import troupe as tf
from troupe._src.messages.benchmark_messages import BenchmarkEntries

PROGRAM = """
import troupe as tf

class Sums(tf.test.Benchmark):
    def benchmark_one(self):
        self.report_benchmark(iters=1)

    def benchmark_two(self):
        self.report_benchmark(iters=2)

    def other(self):
        self.report_benchmark(iters=3)

class Test(tf.test.TestCase):
    def test(self):
        print("tested")

tf.test.main()
"""


class Products(tf.test.Benchmark):
    def benchmark_product(self, **options):
        x = tf.random_normal([50, 50])
        with tf.Session() as session:
            return self.run_op_benchmark(session, tf.matmul(x, x).op, min_iters=3, **options)

    def benchmark_badly(self, **wrong):
        self.report_benchmark(**wrong)


def reported(function, *args, **options):
    """What a benchmark returns, and what it has printed."""
    with contextlib.redirect_stdout(io.StringIO()) as text:
        found = function(*args, **options)
    return found, text.getvalue()


class BenchmarkTest(tf.test.TestCase):
    def test_steps_of_a_session_are_measured_and_reported_with_the_name_of_the_method(self):
        found, text = reported(Products().benchmark_product, extras={"kind": "dense"}, mbs=2)
        self.assertEqual(found["iters"], 3)
        self.assertAllClose(found["throughput"] * found["wall_time"], 2)
        self.assertGreater(found["extras"]["allocator_maximum_num_bytes_CPU_0"], 2 * 50 * 50 * 4)
        self.assertEqual(found["extras"]["kind"], "dense")
        self.assertNotIn("full_trace_chrome_format", found["extras"])
        self.assertIn('name: "Products.benchmark_product"', text)
        self.assertIn('string_value: "dense"', text)

    def test_the_trace_of_a_step_is_returned_and_not_reported(self):
        found, text = reported(Products().benchmark_product, store_trace=True, name="traced")
        self.assertIn("MatMul", found["extras"]["full_trace_chrome_format"])
        self.assertNotIn("MatMul", text)
        self.assertIn('name: "Products.traced"', text)

    def test_a_report_is_written_to_a_file_that_does_not_exist_yet(self):
        prefix = os.path.join(self.get_temp_dir(), "report_")
        metrics = [{"name": "error", "value": 0.5, "max_value": 1.0}]
        with mock.patch.dict(os.environ, {"TEST_REPORT_FILE_PREFIX": prefix}):
            Products().benchmark_badly(metrics=metrics, iters=2, name="a/b")
            with self.assertRaises(FileExistsError):
                Products().benchmark_badly(name="a/b")
        with open(f"{prefix}Products.a__b", "rb") as file:
            entry = BenchmarkEntries.FromString(file.read()).entry[0]
        self.assertEqual((entry.name, entry.iters), ("Products.a/b", 2))
        self.assertEqual(entry.metrics[0].max_value.value, 1.0)
        self.assertFalse(entry.metrics[0].HasField("min_value"))

    def test_extras_and_metrics_of_other_kinds_are_refused(self):
        for wrong, message in (
            ({"extras": [1]}, "extras must be a dict"), ({"metrics": {}}, "metrics must be a list"),
            ({"metrics": [{"value": 1}]}, "'name'"), ({"metrics": [{"name": "m"}]}, "'value'"),
        ):  # fmt: skip
            with self.assertRaisesRegex(TypeError, message):
                reported(Products().benchmark_badly, **wrong)

    def test_a_program_of_tests_runs_benchmarks_instead_by_a_flag(self):
        for flag, names in (
            ("--benchmarks=Sums.*two", ["two"]), ("--benchmarks=all", ["one", "two"]), (None, []),
        ):  # fmt: skip
            words = [sys.executable, "-c", PROGRAM, *filter(None, [flag])]
            ended = subprocess.run(words, capture_output=True, text=True, check=True)
            lines = [line.strip() for line in ended.stdout.splitlines()]
            shown = [line for line in lines if line.startswith("name:")]
            self.assertEqual(shown, [f'name: "Sums.benchmark_{name}"' for name in names])
            self.assertEqual("tested" in lines, not names)

    def test_values_are_evaluated_in_the_default_session(self):
        with self.assertRaisesRegex(ValueError, "there is none"):
            Products().evaluate(tf.constant(1))
        with tf.Session():
            self.assertEqual(Products().evaluate(tf.constant(1)), 1)

    def test_nodes_are_measured_as_they_are_in_the_graph(self):
        rewrites = tf.test.benchmark_config().graph_options
        self.assertEqual(rewrites._disabled_passes(), ["reduce_controls"])


if __name__ == "__main__":
    unittest.main()
