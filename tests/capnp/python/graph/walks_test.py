"""Walks along the edges of a graph."""

import unittest

import troupe as tf
from troupe.contrib.graph_editor import get_backward_walk_ops, get_forward_walk_ops


class WalksTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.a, self.b = tf.placeholder(tf.float32, name="a"), tf.placeholder(tf.float32, name="b")
        self.sum = tf.add(self.a, self.b, name="sum")
        with tf.control_dependencies([tf.identity(self.b, name="first")]):
            self.end = tf.square(self.sum, name="end")
        tf.square(self.b, name="other")

    def names(self, ops):
        names = [op.name for op in ops]
        self.assertEqual(len(names), len(set(names)))
        return set(names)

    def test_operations_behind_others(self):
        walk = get_backward_walk_ops
        self.assertEqual(self.names(walk(self.end)), {"end", "sum", "a", "b"})
        self.assertEqual(self.names(walk([self.end.op], inclusive=False)), {"sum", "a", "b"})
        self.assertEqual(
            self.names(walk([self.end], control_inputs=True)), {"end", "sum", "a", "b", "first"}
        )
        self.assertEqual(self.names(walk([self.end], stop_at_ts=[self.a])), {"end", "sum", "b"})
        within = [self.end.op, self.sum.op, self.a.op]
        self.assertEqual(self.names(walk([self.end], within_ops=within)), {"end", "sum", "a"})
        self.assertEqual(
            self.names(walk([self.end], within_ops_fn=lambda op: op.name != "sum")), {"end"}
        )
        self.assertEqual(walk([]), [])
        with self.assertRaisesRegex(TypeError, "operations or tensors"):
            walk(["end"])

    def test_operations_that_depend_on_others(self):
        walk = get_forward_walk_ops
        self.assertEqual(self.names(walk(self.a)), {"sum", "end"})
        self.assertEqual(self.names(walk(self.a.op)), {"a", "sum", "end"})
        self.assertEqual(self.names(walk([self.b])), {"sum", "end", "first", "other"})
        self.assertEqual(self.names(walk([self.b], stop_at_ts=[self.sum])), {
            "sum", "first", "other",
        })  # fmt: skip
        first = self.end.graph.get_operation_by_name("first")
        self.assertEqual(self.names(walk(first)), {"first"})
        self.assertEqual(self.names(walk(first, control_outputs=True)), {"first", "end"})

    def test_an_update_is_behind_the_value_after_it(self):
        variable = tf.Variable(1.0, name="v")
        found = get_backward_walk_ops(tf.assign_add(variable, self.a) * 2.0)
        self.assertLessEqual({"a", "AssignAddVariableOp"}, {op.name for op in found} | {
            op.type for op in found
        })  # fmt: skip


if __name__ == "__main__":
    unittest.main()
