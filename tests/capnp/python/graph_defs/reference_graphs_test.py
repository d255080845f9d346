"""Graphs that TensorFlow has built run as there: those of tests/reference/graphs."""

import pathlib
import unittest

import numpy as np

import troupe as tf

FOLDER = pathlib.Path(__file__).parents[3] / "reference" / "graphs"


def recorded_steps(name):
    """The steps that TensorFlow has run: (feeds, results by their names, targets)."""
    arrays = np.load(FOLDER / f"{name}.npz")
    steps = [({}, {}, targets.split()) for targets in arrays["steps"]]
    for key in arrays.files[1:]:
        number, kind, tensor = key.split(" ")
        value = arrays[key]
        steps[int(number)][kind == "fetch"][tensor] = (
            value.astype(object) if value.dtype.kind == "S" else value
        )
    return steps


def recorded_graph(name):
    graph_def = tf.GraphDef()
    graph_def.ParseFromString((FOLDER / f"{name}.pb").read_bytes())
    return graph_def


class ReferenceGraphsTest(tf.test.TestCase):
    def check(self, graph_def, name):
        """Imports the graph, runs the steps and compares."""
        with tf.Graph().as_default() as graph:
            tf.import_graph_def(graph_def, name="")
        tf.Session.reset("")
        with tf.Session(graph=graph) as session:
            for number, (feeds, expected, targets) in enumerate(recorded_steps(name)):
                fetches = [list(expected), [graph.get_operation_by_name(t) for t in targets]]
                values, _ = session.run(fetches, feeds)
                for tensor, value in zip(expected, values):
                    self.compare(value, expected[tensor], f"{name}: {tensor} of step {number}")

    def compare(self, value, expected, message):
        self.assertEqual(np.shape(value), expected.shape, message)
        if expected.dtype == object:
            self.assertEqual(list(value.flat), list(expected.flat), message)
        else:
            np.testing.assert_allclose(value, expected, rtol=2e-5, atol=2e-6, err_msg=message)

    def test_recorded_graphs_have_tensorflows_results(self):
        names = sorted(path.stem for path in FOLDER.glob("*.pb"))
        self.assertGreaterEqual(len(names), 10)
        for name in names:
            with self.subTest(name):
                self.check(recorded_graph(name), name)

    def test_they_have_them_after_export_too(self):
        for name in sorted(path.stem for path in FOLDER.glob("*.pb")):
            with self.subTest(name), tf.Graph().as_default() as graph:
                tf.import_graph_def(recorded_graph(name), name="")
                self.check(graph.as_graph_def(), name)

    def test_a_difference_is_found(self):
        graph_def = recorded_graph("while_loop")
        for node in graph_def.node:
            if node.op == "Sin":
                node.op = "Cos"
        with self.assertRaisesRegex(AssertionError, "while_loop: y:0"):
            self.check(graph_def, "while_loop")


if __name__ == "__main__":
    unittest.main()
