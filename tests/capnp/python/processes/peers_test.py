"""Troupe's side of tools/bench --peers: each workload runs on nodes, and returns what it should."""

import pathlib
import sys
import unittest

PEERS = pathlib.Path(__file__).resolve().parents[3] / "benchmarks/peers"
sys.path.insert(0, str(PEERS))

from side_process import SideProcess  # noqa: E402
from workloads import WORKLOADS  # noqa: E402

TOO_LARGE = {"read_512"}  # differs from read_100 by its size alone


class PeersTest(unittest.TestCase):
    def test_each_workload_runs(self):
        side = SideProcess("troupe", [sys.executable, PEERS / "side.py", "troupe"])
        self.addCleanup(side.end)
        for name in WORKLOADS.keys() - TOO_LARGE:
            with self.subTest(name):
                samples = side.samples_of(name, seconds=0.05, limit=120)
                self.assertTrue(samples)
                self.assertTrue(all(sample >= 0 for sample in samples))


if __name__ == "__main__":
    unittest.main()
