"""The plugin for pytest: a test for each seed, and what it says when one fails."""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

TESTS = '''
import pytest
import troupe as tf
import troupe.sim

seen = []

@pytest.mark.simulated(seeds=4)
def test_seeds(make_cluster, simulated_seed):
    with make_cluster({"ps": 1, "worker": 1}) as cluster:
        assert cluster.seed == simulated_seed
        assert not tf.get_default_graph().get_operations()
        seen.append(float(cluster.session("worker").run(tf.random_uniform([]))))
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(simulated_seed)
        assert session.run(tf.random_uniform([])) == pytest.approx(seen[-1])

def test_seeds_draw_other_numbers():
    assert len(set(seen)) == len(seen)

@pytest.mark.simulated(seeds=4)
def test_fails(make_cluster, simulated_seed):
    cluster = make_cluster({"ps": 1, "worker": 1})
    cluster.session("ps").run(tf.constant(1))
    assert simulated_seed != 3

@pytest.mark.simulated(seeds=4, first=11, faults={"end": 0.5, "most": 2, "kinds": ["crash"]})
def test_faults(make_cluster):
    cluster = make_cluster({"ps": 1, "worker": 1})
    cluster.run_for(1)
    assert {fault.kind for fault in cluster.faults()} == {"crash", "restart"}
    raise LookupError

def test_plain(): pass
'''


@unittest.skipUnless(importlib.util.find_spec("pytest"), "needs pytest")
class PluginTest(unittest.TestCase):
    def pytest(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "test_steps.py")
            file.write_text(TESTS, encoding="utf-8")
            plugin = ["-p", "troupe.sim.pytest_plugin", "-p", "no:cacheprovider"]
            command = [sys.executable, "-m", "pytest", *plugin, *arguments]
            run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100)
            return run.stdout + run.stderr

    def test_a_marked_test_runs_once_for_each_seed_with_a_graph_of_its_own(self):
        said = self.pytest("-k", "seeds or plain", "-v", "--strict-markers")
        self.assertIn("6 passed", said)
        for seed in (1, 2, 3, 4):
            self.assertIn(f"test_seeds[seed{seed}] PASSED", said)

    def test_a_failure_names_its_seed_and_how_to_repeat_it(self):
        said = self.pytest("-k", "test_fails")
        self.assertIn("1 failed, 3 passed", said)
        self.assertIn("seed 3; to repeat it:", said)
        self.assertIn("pytest 'test_steps.py::test_fails' --simulated-seed=3", said)
        self.assertIn("the last messages:", said)

    def test_the_option_repeats_one_seed(self):
        self.assertIn("1 failed", self.pytest("-k", "test_fails", "--simulated-seed=3"))
        self.assertIn("1 passed", self.pytest("-k", "test_fails", "--simulated-seed=2"))

    def test_random_faults_are_drawn_and_told_as_the_lines_that_repeat_them(self):
        said = self.pytest("-k", "test_faults")
        self.assertIn("4 failed", said)
        self.assertNotIn("AssertionError", said)
        self.assertRegex(said, r"cluster\.at\(0\.\d+\)\.crash\('/job:\w+/task:0'\)")


if __name__ == "__main__":
    unittest.main()
