#!/usr/bin/env python3
"""A real node and a client that is written from the .capnp files alone.

Usage: tests/processes/plain_client_test.py NODE, by a Python that has pycapnp 2.2.4
"""

import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).parents[2]
NODE = sys.argv[1]


class PlainClientTest(unittest.TestCase):
    def setUp(self):
        self.node = subprocess.Popen(
            [NODE, "--cluster", "local=127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.node.communicate)
        self.addCleanup(self.node.terminate)

    def test_it_makes_counts_and_resets_a_variable(self):
        address = self.node.stdout.readline().strip().rpartition("/")[2]
        client = subprocess.run(
            [sys.executable, ROOT / "tests/capnp/plain_client.py", ROOT / "capnp", address],
            capture_output=True, text=True, timeout=60)
        self.assertEqual(client.returncode, 0, client.stdout + client.stderr)
        self.assertIn("fetched 2, and after the reset:", client.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
