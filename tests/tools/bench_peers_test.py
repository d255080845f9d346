#!/usr/bin/env python3
"""tools/bench --peers measures in turns, compares, and prints figures; without TensorFlow."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEERS = ROOT / "tests/benchmarks/peers"
sys.path.insert(0, str(PEERS))

import figures  # noqa: E402
import report  # noqa: E402
from comparison import Effort, Row, compare  # noqa: E402
from floors import FLOORS  # noqa: E402
from page import page  # noqa: E402
from samples import rates_in_windows, rates_of, times_of  # noqa: E402
from side_process import SideError, SideProcess  # noqa: E402
from workloads import WORKLOADS, Workload  # noqa: E402

# Answers as side.py does; what it does depends on the name of the workload.
FAKE_SIDE = """
import json, signal, subprocess, sys
print(json.dumps({"version": "1.2"}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    what = request["workload"]
    if what == "dies":
        sys.exit("out of luck")
    if what == "hangs":
        signal.pause()
    if what == "starts":
        child = subprocess.Popen(["sleep", "1000"])
        print(json.dumps({"samples": [child.pid]}), flush=True)
    elif what == "fails":
        print(json.dumps({"error": "ValueError: no"}), flush=True)
    else:
        print(json.dumps({"samples": [request["seconds"]]}), flush=True)
"""


class FiguresTest(unittest.TestCase):
    def test_quantiles_are_interpolated(self):
        samples = [4, 1, 3, 2]
        self.assertEqual(figures.quantile(samples, 0.5), 2.5)
        self.assertEqual(figures.quantile(samples, 0), 1)
        self.assertEqual(figures.quantile(samples, 1), 4)
        self.assertEqual(figures.quantile([7], 0.99), 7)
        self.assertAlmostEqual(figures.quantile(range(101), 0.9), 90)
        with self.assertRaisesRegex(ValueError, "no samples"):
            figures.quantile([], 0.5)

    def test_a_ratio_over_1_means_that_troupe_is_ahead(self):
        for time_unit in ("us", "ms", "ns/op"):
            self.assertEqual(figures.ratio(time_unit, 10, 20), 2)
        for rate_unit in ("steps/s", "GB/s"):
            self.assertEqual(figures.ratio(rate_unit, 10, 20), 0.5)
        self.assertIsNone(figures.ratio("us", None, 20))
        self.assertIsNone(figures.ratio("us", 10, None))

    def test_figures_have_three_digits(self):
        texts = {0.1234: "0.123", 1.234: "1.23", 12.34: "12.3", 1234.5: "1,234", None: "-"}
        for value, text in texts.items():
            self.assertEqual(figures.text_of(value), text)

    def test_each_workload_has_a_name_of_its_own_and_a_known_floor(self):
        self.assertEqual(len({workload.what for workload in WORKLOADS.values()}), len(WORKLOADS))
        for workload in WORKLOADS.values():
            self.assertTrue(workload.floor is None or workload.floor[0] in FLOORS)


class SamplesTest(unittest.TestCase):
    def test_a_step_is_measured_often_enough_even_if_no_time_is_given(self):
        steps = []
        self.assertEqual(len(times_of(lambda: steps.append(1), 0)), 3)
        self.assertEqual(len(steps), 4)  # one to warm up

    def test_rates_are_those_of_parts_of_the_time(self):
        self.assertEqual(rates_in_windows([0.1, 0.2, 1.9, 2.5], 2), [1.5])
        in_two_parts = [0.5 + i / 1000 for i in range(30)] + [1.5 + i / 1000 for i in range(10)]
        self.assertEqual(rates_in_windows(in_two_parts, 2), [30, 10])
        self.assertEqual(rates_in_windows([], 2), [0])

    def test_all_threads_count(self):
        counts = [0, 0]

        def count(index):
            counts[index] += 1

        rates = rates_of([lambda: count(0), lambda: count(1)], 0.05)
        self.assertGreater(sum(rates), 0)
        self.assertTrue(all(counts))

    def test_the_error_of_a_thread_is_raised(self):
        with self.assertRaises(ZeroDivisionError):
            rates_of([lambda: None, lambda: 1 / 0], 0.05)

    def test_floors_are_measured(self):
        for kind, argument in (("round_trip", 2), ("tcp_bandwidth", 1000), ("memcpy", 1000)):
            samples = FLOORS[kind](0, argument)
            self.assertEqual(len(samples), 3)
            self.assertTrue(all(sample > 0 for sample in samples))


class FakeProcess:
    """A side whose turns are given, a list or an error for each."""

    def __init__(self, name, turns, order):
        self.name = name
        self._turns = iter(turns)
        self._order = order

    def samples_of(self, workload, seconds, limit):
        self._order.append(self.name)
        turn = next(self._turns)
        if isinstance(turn, Exception):
            raise turn
        return turn


def workload_in(unit, floor=None, quantile=0.5):
    return Workload("name", "what <it> is", unit, None, quantile, floor)


def compared(workload, troupe, tensorflow):
    """The row, and the order of the turns."""
    order = []
    processes = [FakeProcess("troupe", troupe, order), FakeProcess("tensorflow", tensorflow, order)]
    return compare(workload, processes, Effort(turns=2, seconds=0, limit=1)), order


class ComparisonTest(unittest.TestCase):
    def test_the_sides_take_turns_and_their_samples_are_pooled(self):
        row, order = compared(workload_in("us"), [[1, 3], [2]], [[8], [4]])
        self.assertEqual(order, ["troupe", "tensorflow"] * 2)
        self.assertEqual((row.value("troupe"), row.value("tensorflow"), row.ratio), (2, 6, 3))
        self.assertEqual(row.spread("troupe"), (1.2, 2.8))
        self.assertIsNone(row.floor)

    def test_a_side_that_fails_gets_no_further_turn_and_the_other_goes_on(self):
        row, order = compared(workload_in("us"), [[1], [1]], [SideError("no memory")])
        self.assertEqual(order, ["troupe", "tensorflow", "troupe"])
        self.assertEqual(row.errors, {"tensorflow": "no memory"})
        self.assertEqual((row.value("troupe"), row.value("tensorflow"), row.ratio), (1, None, None))

    def test_floors_are_measured_in_the_same_turns(self):
        row, _ = compared(workload_in("us", ("round_trip", 1)), [[1], [1]], [[1], [1]])
        self.assertEqual(len(row.floor_samples), 6)
        self.assertGreater(row.floor, 0)

    def test_another_quantile_than_the_median_can_be_compared(self):
        row, _ = compared(workload_in("ms", quantile=0.99), [range(101), []], [[198], []])
        self.assertAlmostEqual(row.ratio, 2)


class SideProcessTest(unittest.TestCase):
    def setUp(self):
        self.side = SideProcess("fake", [sys.executable, "-c", FAKE_SIDE])
        self.addCleanup(self.side.end)

    def assert_fails(self, workload, reason, limit=60):
        with self.assertRaisesRegex(SideError, reason):
            self.side.samples_of(workload, 1, limit)

    def test_it_answers_and_says_its_version(self):
        self.assertEqual(self.side.samples_of("any", 2, 60), [2])
        self.assertEqual(self.side.version, "1.2")

    def test_a_failure_has_its_reason_and_the_next_request_is_answered(self):
        self.assert_fails("fails", "^ValueError: no$")
        self.assert_fails("dies", "^ended with exit code 1: out of luck$")
        self.assert_fails("hangs", "^no answer in time$", limit=1)
        self.assertEqual(self.side.samples_of("any", 2, 60), [2])

    def test_a_program_that_does_not_start_is_a_failure(self):
        self.side = SideProcess("fake", [sys.executable, "-c", "import nowhere"])
        self.assert_fails("any", "No module named 'nowhere'")

    def test_the_end_ends_all_that_it_started(self):
        (pid,) = self.side.samples_of("starts", 1, 60)
        self.side.end()
        deadline = time.monotonic() + 60
        while is_running(pid):
            self.assertLess(time.monotonic(), deadline, "it still runs")


def is_running(pid):
    """False also for a process that has ended and was not waited for."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def rows():
    """A row with all figures, and one whose second side failed."""
    whole = Row(workload_in("us", ("round_trip", 2)), {"troupe": [2], "tensorflow": [6]}, {}, [1])
    failed = Row(workload_in("GB/s"), {"troupe": [2], "tensorflow": []}, {"tensorflow": "<no>"}, [])
    return [whole, failed]


class ReportTest(unittest.TestCase):
    def test_a_line_of_the_table_has_the_figures_or_the_reason(self):
        whole, failed = map(report.table_line, rows())
        figures_of_line = ["name", "us", "2.00", "2.00-2.00", "6.00", "6.00-6.00", "3.00", "1.00"]
        self.assertEqual(whole.split(), figures_of_line)
        wanted = ["name", "GB/s", "2.00", "2.00-2.00", "failed", "-", "-", "TensorFlow:", "<no>"]
        self.assertEqual(failed.split(), wanted)
        self.assertEqual(report.table_head().split()[:4], ["workload", "unit", "Troupe", "p10-p90"])

    def test_a_line_of_json_has_the_keys(self):
        whole, failed = (json.loads(report.json_line(row)) for row in rows())
        wanted = {"name": "name", "unit": "us", "troupe": 2, "peers": {"tensorflow": 6}}
        self.assertEqual(whole, {**wanted, "floor": 1, "ratio": 3})
        self.assertEqual(failed["peers"], {"tensorflow": None})
        self.assertEqual(failed["errors"], {"tensorflow": "<no>"})

    def test_the_page_is_well_formed_and_needs_no_other_file(self):
        versions = {"troupe": "0.1", "tensorflow": None}
        text = page(rows(), "2 cores of <X>", versions, "today")
        tree = xml.etree.ElementTree.fromstring(text)
        self.assertEqual(len(tree.findall(".//tbody/tr")), 2)
        self.assertEqual(len(tree.findall(".//svg/rect")), 3)
        for wanted in ("2 cores of &lt;X&gt;", "TensorFlow unknown", "failed: &lt;no&gt;"):
            self.assertIn(wanted, text)
        for other in ("http", "<link", "<script", "src=", "url("):
            self.assertNotIn(other, text)


def bench(*arguments, peers="/nowhere"):
    """The exit code and the errors of the command."""
    done = subprocess.run(
        [ROOT / "tools/bench", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "TROUPE_PEERS": str(peers)},
    )
    return done.returncode, done.stderr, done.stdout


class CommandTest(unittest.TestCase):
    def test_a_wrong_argument_is_a_usage_error(self):
        code, errors, _ = bench("--peers", "null_step", "noll_step")
        self.assertEqual(code, 2)
        self.assertIn("unknown workload 'noll_step' (there are null_step, ", errors)
        code, errors, _ = bench("--peers", "--fast")
        self.assertEqual(code, 2)
        self.assertTrue(errors.endswith("--fast; see tools/bench --help\n"), errors)
        self.assertEqual(bench("--setup", "now")[0], 2)

    def test_without_a_setup_it_says_what_to_do(self):
        message = "tools/bench: no TensorFlow in /nowhere: run tools/bench --setup first\n"
        self.assertEqual(bench("--peers", "--quick"), (1, message, ""))

    def test_a_second_setup_does_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "requirements.txt"
            copy.write_bytes((PEERS / "requirements.txt").read_bytes())
            code, errors, _ = bench("--setup", peers=folder)
            self.assertEqual(code, 0)
            self.assertRegex(errors, f"^Installed already: {folder} has tensorflow-cpu")
            self.assertEqual(os.listdir(folder), ["requirements.txt"])

    def test_the_help_lists_the_workloads_with_an_example(self):
        code, _, text = bench("--peers", "--help")
        self.assertEqual(code, 0)
        for name in WORKLOADS:
            self.assertIn(f"\n  {name} ", text)
        self.assertIn("Example: ", text)


if __name__ == "__main__":
    unittest.main()
