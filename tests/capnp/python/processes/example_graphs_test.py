"""The whole graphs of examples/graphs give TensorFlow's results, in one process and cut over four.

The results are those of tests/reference/examples. Where mathematics knows them, they are that, too.
"""

import contextlib
import importlib
import io
import pathlib
import runpy
import subprocess
import sys
import unittest
import zlib
from unittest import mock

import numpy as np
from nodes import Nodes

import troupe as tf

ROOT = pathlib.Path(__file__).parents[4]
EXAMPLES = ROOT / "capnp" / "python" / "examples" / "graphs"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))
TASKS = 4


def recorded(name):
    arrays = np.load(ROOT / "tests" / "reference" / "examples" / "results.npz")
    count = sum(key.split(" ")[0] == name for key in arrays.files)
    return [arrays[f"{name} {index}"] for index in range(count)]


def results_of(name, target="", device=None):
    """Runs the example in a graph of its own, and gives what its `main` returns."""
    with tf.Graph().as_default() as graph, tf.device(device):
        results = [np.asarray(value) for value in importlib.import_module(name).main(target)]
    if device:
        assert {op.device for op in graph.get_operations()} >= set(map(task_name, range(TASKS)))
    return results


def task_name(task):
    return f"/job:worker/task:{task}"


def any_task(op):
    """A task for each node, by its name; what works on state is where the state is."""
    if any(tensor.dtype in (tf.resource, tf.variant) for tensor in op.inputs):
        return ""
    return task_name(zlib.crc32(op.name.encode()) % TASKS)


class ExampleGraphsTest(tf.test.TestCase):
    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, str(EXAMPLES))
        cls.addClassCleanup(sys.path.remove, str(EXAMPLES))

    def setUp(self):
        super().setUp()
        tf.Session.reset("")

    def test_there_are_twenty_and_each_has_its_record(self):
        arrays = np.load(ROOT / "tests" / "reference" / "examples" / "results.npz")
        self.assertEqual(sorted({key.split(" ")[0] for key in arrays.files}), NAMES)
        self.assertEqual(len(NAMES), 20)

    def test_they_have_tensorflows_results(self):
        for name in NAMES:
            with self.subTest(name):
                tf.Session.reset("")
                self.compare(results_of(name), recorded(name))

    def compare(self, values, expected):
        self.assertEqual(len(values), len(expected))
        for value, wanted in zip(values, expected):
            self.assertEqual(value.shape, wanted.shape)
            if wanted.dtype.kind in "SOib":
                np.testing.assert_array_equal(value.astype(wanted.dtype), wanted)
            else:
                np.testing.assert_allclose(value, wanted, rtol=2e-5, atol=2e-5)

    def test_cut_over_four_tasks_they_have_the_same_results(self):
        nodes = Nodes(worker=TASKS)
        self.addCleanup(nodes.close)
        target = nodes.target("worker")
        for name in NAMES:
            with self.subTest(name):
                tf.Session.reset("")
                alone = results_of(name)
                tf.Session.reset(target)
                cut = results_of(name, target, any_task)
                for value, other in zip(alone, cut):
                    np.testing.assert_array_equal(value, other)


class UsageTest(tf.test.TestCase):
    def test_one_that_is_asked_for_help_says_its_usage_and_adds_no_node(self):
        for name in NAMES:
            path, out = EXAMPLES / f"{name}.py", io.StringIO()
            with self.subTest(name), tf.Graph().as_default() as graph:
                arguments = [str(path), "--help"]
                with mock.patch("sys.argv", arguments), contextlib.redirect_stdout(out):
                    runpy.run_path(str(path), run_name="__main__")
                self.assertRegex(out.getvalue(), rf"^.+[.?]\n\n{name}\.py \[TARGET\]\n")
                self.assertEqual(graph.get_operations(), [])

    def test_help_is_no_failure(self):
        command = [sys.executable, EXAMPLES / "mlp.py", "--help"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        self.assertIn("mlp.py [TARGET]", done.stdout)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class KnownResultsTest(tf.test.TestCase):
    """What the examples find is what they look for."""

    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, str(EXAMPLES))
        cls.addClassCleanup(sys.path.remove, str(EXAMPLES))

    def test_the_network_knows_the_exclusive_or(self):
        _, answers = results_of("mlp")
        self.assertEqual(np.round(answers).ravel().tolist(), [0, 1, 1, 0])

    def test_ranks_of_pages_are_those_of_the_stationary_distribution(self):
        example = importlib.import_module("page_rank")
        matrix = np.zeros([example.PAGES] * 2)
        for source, destination in example.LINKS:
            matrix[destination, source] = 1
        matrix = example.DAMPING * matrix / matrix.sum(0) + (1 - example.DAMPING) / example.PAGES
        values, vectors = np.linalg.eig(matrix)
        first = vectors[:, np.argmax(values.real)].real
        np.testing.assert_allclose(results_of("page_rank")[0], first / first.sum(), atol=1e-8)

    def test_the_eigenvalue_and_its_vector_are_those_of_numpy(self):
        matrix = np.random.RandomState(11).uniform(0, 1, [6, 6])
        values, vectors = np.linalg.eigh(matrix @ matrix.T)
        value, vector, _ = results_of("power_iteration")
        np.testing.assert_allclose(value, values[-1], rtol=1e-12)
        np.testing.assert_allclose(vector, np.abs(vectors[:, -1]), atol=1e-9)

    def test_curves_meet_where_both_are_zero(self):
        _, values, count = results_of("newton")
        np.testing.assert_allclose(values, [0, 0], atol=1e-14)
        self.assertLess(count, 10)

    def test_energy_is_kept(self):
        *_, (before, after) = results_of("n_body")
        np.testing.assert_allclose(after, before, rtol=1e-5)

    def test_a_glider_glides(self):
        (world,) = results_of("game_of_life")
        glider = [list(line) for line in importlib.import_module("game_of_life").GLIDER]
        np.testing.assert_array_equal(world[5:10, 5:10], np.array(glider) == "#")
        self.assertEqual(world.sum(), 5)

    def test_points_have_the_center_that_is_nearest(self):
        random = np.random.RandomState(7)
        noise = random.normal(0, 0.7, [60, 2])
        points = noise + np.array([[0, 0], [5, 1], [2, 6]])[np.arange(60) % 3]
        centers, chosen, _ = results_of("k_means")
        squares = ((points[:, None] - centers) ** 2).sum(2)
        np.testing.assert_array_equal(chosen, squares.argmin(1))
        for center in range(3):
            np.testing.assert_allclose(centers[center], points[chosen == center].mean(0), rtol=1e-5)

    def test_the_best_sentence_is_the_best_of_all(self):
        example = importlib.import_module("beam_search")
        follows = example.model()
        # The best way to each token, of one more token each time.
        best = {1: (0.0, [1])}
        for _ in range(example.LENGTH):
            ways = [
                (score + follows[last, token], [*way, token])
                for last, (score, way) in best.items()
                for token in range(example.TOKENS)
            ]
            best = {token: max(way for way in ways if way[1][-1] == token) for token in range(7)}
        beams, scores = results_of("beam_search")
        score, way = max(best.values())
        np.testing.assert_allclose(scores[0], score)
        self.assertEqual(beams[0].tolist(), way[: beams.shape[1]])


if __name__ == "__main__":
    unittest.main()
