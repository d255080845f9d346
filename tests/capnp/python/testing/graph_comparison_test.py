"""Comparisons of graphs, and stubs."""

import types
import unittest

import troupe as tf


def graph_of(value, name="b"):
    with tf.Graph().as_default() as graph:
        tf.identity(tf.constant(value, name="a"), name=name)
    return graph.as_graph_def()


class GraphComparisonTest(tf.test.TestCase):
    def test_graphs_are_equal_in_any_order_of_nodes(self):
        one, other = graph_of(1), graph_of(1)
        nodes = list(other.node)
        del other.node[:]
        other.node.extend(reversed(nodes))
        tf.test.assert_equal_graph_def(one, other)
        with self.assertRaisesRegex(AssertionError, "expected"):
            tf.test.assert_equal_graph_def(one, graph_of(2))
        with self.assertRaisesRegex(AssertionError, "Node b is in the actual graph only"):
            tf.test.assert_equal_graph_def(one, graph_of(1, "c"))
        with self.assertRaisesRegex(TypeError, "Expected tf.GraphDef, got Graph"):
            tf.test.assert_equal_graph_def(tf.Graph(), one)

    def test_stubs_are_put_back(self):
        place = types.SimpleNamespace(number=1)
        with tf.test.StubOutForTesting() as stubs:
            stubs.Set(place, "number", 2)
            stubs.SmartSet(place, "number", 3)
            self.assertEqual(place.number, 3)
        self.assertEqual(place.number, 1)


if __name__ == "__main__":
    unittest.main()
