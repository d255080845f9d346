#!/usr/bin/env python3
"""tools/bench --peers --ops compares single ops; without TensorFlow and NumPy."""

import contextlib
import importlib.util
import io
import os
import pathlib
import sys
import tempfile
import types
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEERS = ROOT / "tests/benchmarks/peers"
sys.path.insert(0, str(PEERS))

import report  # noqa: E402
import side  # noqa: E402
from comparison import OPS_QUICK, Row  # noqa: E402
from ops.case import case, gradient, to_workload  # noqa: E402
from ops.cases import FAMILIES, OPS, ops_matching  # noqa: E402
from ops.operands import Operand, Variables, floats  # noqa: E402
from side_process import SideError  # noqa: E402
from workloads import WORKLOADS  # noqa: E402


def main_module():
    """The program that tools/bench --peers runs."""
    spec = importlib.util.spec_from_file_location("bench_peers", PEERS / "__main__.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Graph:
    """A package whose tensors are texts of how they are computed."""

    class Operation(str):
        pass

    @classmethod
    def identity(cls, tensor):
        return types.SimpleNamespace(op=f"identity({tensor})")

    @staticmethod
    def gradients(result, operands, grad_ys):
        return [f"gradient of {result} to {operands[0]} by {grad_ys[0]}"]


class Tensor(str):
    shape = (2, 3)


class NamedVariables:
    """Variables that are named by their operands."""

    def new(self, operand):
        return operand.what


class CasesTest(unittest.TestCase):
    def test_each_op_has_a_name_of_its_own_that_no_workload_has(self):
        self.assertEqual(sum(len(family.CASES) for family in FAMILIES), len(OPS))
        self.assertFalse(set(OPS) & set(WORKLOADS))
        self.assertEqual([op.name for op in OPS.values()], list(OPS))

    def test_a_side_measures_ops_as_well_as_workloads(self):
        self.assertEqual(set(side.MEASURED), {*OPS, *WORKLOADS})

    def test_each_file_of_a_family_is_listed(self):
        files = {path.stem for path in (PEERS / "ops").glob("*.py")}
        families = {family.__name__.split(".")[-1] for family in FAMILIES}
        self.assertEqual(files - {"__init__", "case", "cases", "operands"}, families)

    def test_an_op_is_found_by_a_part_of_its_name(self):
        self.assertEqual(ops_matching(""), list(OPS))
        self.assertEqual(ops_matching("^resize_b"), ["resize_bilinear", "resize_bicubic"])
        self.assertEqual(ops_matching("flil"), [])

    def test_a_workload_says_of_what_its_op_is(self):
        described = to_workload("name", case(None, floats(2, 3), floats(4, dtype="float64")))
        self.assertEqual(described.what, "op of float32 [2, 3], float64 [4]")
        described = to_workload("name", gradient(None, floats(2), to=0))
        self.assertEqual(described.what, "gradient to operand 0 of float32 [2]")
        self.assertEqual(described.unit, "us")

    def test_all_results_are_read(self):
        halves = case(lambda tf, x: [f"first of {x}", f"second of {x}"], floats(2))
        wanted = ["identity(first of float32 [2])", "identity(second of float32 [2])"]
        self.assertEqual(halves.build(Graph, NamedVariables()), wanted)

    def test_an_operation_is_run_as_it_is(self):
        assignment = case(lambda tf, x: tf.Operation("assign"), floats(2))
        self.assertEqual(assignment.build(Graph, NamedVariables()), ["assign"])

    def test_a_gradient_is_to_one_operand_and_weighs_the_results(self):
        product = gradient(lambda tf, x, y: Tensor("product"), floats(2), floats(3), to=1)
        wanted = "identity(gradient of product to float32 [3] by float32 [2, 3])"
        self.assertEqual(product.build(Graph, NamedVariables()), [wanted])


class VariablesTest(unittest.TestCase):
    def test_values_are_random_with_the_same_seed_in_each_case(self):
        def values():
            package = unittest.mock.Mock()
            package.placeholder.side_effect = lambda dtype, shape: (dtype, tuple(shape))
            variables = Variables(package)
            variables.new(Operand("float32", [5], lambda numpy, random: random.seed))
            return variables.values

        class Values(int):
            def astype(self, dtype):
                return f"{dtype} of seed {int(self)}"

        numpy = types.ModuleType("numpy")
        numpy.random = types.SimpleNamespace(
            RandomState=lambda seed: types.SimpleNamespace(seed=seed)
        )
        numpy.asarray = Values
        with unittest.mock.patch.dict(sys.modules, numpy=numpy):
            self.assertEqual(values(), {("float32", (5,)): "float32 of seed 0"})
            self.assertEqual(values(), values())


def row(name, troupe, tensorflow, errors=None):
    samples = {"troupe": [troupe], "tensorflow": [tensorflow]}
    return Row(to_workload(name, case(None)), samples, errors or {}, [])


class SummaryTest(unittest.TestCase):
    def test_it_lists_the_slower_ops_the_worst_first(self):
        rows = [row("a", 20, 10), row("even", 10, 10), row("faster", 10, 20), row("b", 50, 10)]
        head, *lines = report.summary(rows, 18).splitlines()
        self.assertEqual(head, "Slower than TensorFlow: 2 of 4, the worst first")
        self.assertEqual([line.split()[0] for line in lines], ["b", "a"])

    def test_it_lists_what_failed_with_the_first_line_of_the_reason(self):
        failed = row("a", 20, 10, {"troupe": "ValueError: no\nat line 1"})
        head, _, count, line = report.summary([failed], 18).splitlines()
        self.assertEqual(head, "Slower than TensorFlow: 0 of 1, the worst first")
        self.assertEqual(count, "Failed: 1")
        self.assertTrue(line.startswith("a ") and line.endswith("Troupe: ValueError: no"), line)

    def test_the_column_of_names_is_as_wide_as_the_longest(self):
        long = row("a" * 40, 1, 2)
        width = report.name_width([long.workload, row("a", 1, 2).workload])
        self.assertEqual(width, 40)
        self.assertEqual(report.table_head(width).index("unit"), 42)
        self.assertEqual(report.table_line(long, width).index("us"), 42)
        self.assertEqual(report.table_line(row("a", 1, 2), width).index("us"), 42)


class FakeProcess:
    """A side that takes as many microseconds for each op, or fails."""

    version = "1.2"

    def __init__(self, name, answer):
        self.name = name
        self.requests = []
        self._answer = answer

    def samples_of(self, workload, seconds, limit):
        self.requests.append((workload, seconds))
        if isinstance(self._answer, SideError):
            raise self._answer
        return [self._answer]

    def end(self):
        pass


class CommandTest(unittest.TestCase):
    def run_main(self, *arguments, troupe=20, tensorflow=10):
        """The exit code, what is printed, and the requests to Troupe's side."""
        main = main_module()
        processes = [FakeProcess("troupe", troupe), FakeProcess("tensorflow", tensorflow)]
        main.side_processes = lambda peers: processes
        printed, errors = io.StringIO(), io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
            copy = pathlib.Path(folder) / "requirements.txt"
            copy.write_bytes((PEERS / "requirements.txt").read_bytes())
            stack.enter_context(unittest.mock.patch.dict(os.environ, TROUPE_PEERS=folder))
            command = ["tools/bench", "--no-build", *arguments]
            stack.enter_context(unittest.mock.patch.object(sys, "argv", command))
            stack.enter_context(contextlib.redirect_stdout(printed))
            stack.enter_context(contextlib.redirect_stderr(errors))
            with self.assertRaises(SystemExit) as exit:
                main.main()
        return exit.exception.code, printed.getvalue() + errors.getvalue(), processes[0].requests

    def test_it_prints_a_row_of_each_op_and_those_that_are_slower(self):
        code, text, requests = self.run_main("--quick", "--ops", "^resize_bi")
        self.assertEqual(code, 0)
        turns = OPS_QUICK.turns
        wanted = [(name, OPS_QUICK.seconds) for name in ("resize_bilinear", "resize_bicubic")]
        self.assertEqual(requests, [request for request in wanted for _ in range(turns)])
        self.assertIn("Slower than TensorFlow: 2 of 2, the worst first", text)
        self.assertEqual(text.count("\nresize_bicubic "), 2)

    def test_json_has_an_object_a_line_and_nothing_else(self):
        code, text, _ = self.run_main("--json", "--ops", "^resize_bi")
        self.assertEqual(code, 0)
        self.assertEqual([line[:9] for line in text.splitlines()], ['{"name": '] * 2)

    def test_the_exit_code_is_1_if_an_op_failed(self):
        failure = SideError("no kernel")
        code, text, _ = self.run_main("--ops", "^resize_bil", tensorflow=failure)
        self.assertEqual(code, 1)
        self.assertIn("Failed: 1", text)
        self.assertIn("TensorFlow: no kernel", text)

    def test_a_wrong_argument_is_a_usage_error(self):
        for arguments, reason in (
            (["--ops", "flil"], "no op has 'flil' in its name"),
            (["--ops", "("], "'(' is no regular expression: "),
            (["--ops", "fill", "null_step"], "--ops takes one REGEX, and no workloads"),
        ):
            code, text, requests = self.run_main(*arguments)
            self.assertEqual((code, requests), (2, []))
            self.assertTrue(text.startswith("tools/bench: " + reason), text)

    def test_without_ops_the_workloads_are_measured_without_a_summary(self):
        code, text, requests = self.run_main("--quick", "idle_memory")
        self.assertEqual((code, {name for name, _ in requests}), (0, {"idle_memory"}))
        self.assertNotIn("Slower", text)

    def test_the_help_describes_it_with_an_example(self):
        code, text, _ = self.run_main("--help")
        self.assertEqual(code, 0)
        self.assertIn("--ops [REGEX]", text)
        self.assertIn("tools/bench --peers --ops '^conv'", text)


if __name__ == "__main__":
    unittest.main()
