"""Nodes that are added by the names of their ops, and where in the program nodes were added."""

import os
import unittest

import troupe as tf


def attr(**value):
    return tf.AttrValue(**value)


def squared(x):
    return tf.square(x)


class CreatedOpsTest(tf.test.TestCase):
    def test_a_node_of_any_op_is_added(self):
        graph = tf.get_default_graph()
        x = tf.constant([[1.0, 2.0]])
        y = graph.create_op("MatMul", [x, x], [tf.float32], name="y",
                            attrs={"transpose_b": attr(b=True)})  # fmt: skip
        self.assertEqual((y.name, y.type, list(y.inputs)), ("y", "MatMul", [x, x]))
        with tf.name_scope("scope"), tf.control_dependencies([y]), tf.device("/cpu:0"):
            again = graph.create_op("Neg", [y.outputs[0]], name="y")
            self.assertEqual(graph.create_op("NoOp", []).name, "scope/NoOp")
            self.assertEqual(graph.create_op("NoOp", [], name="a/b/").name, "a/b")
            self.assertEqual(graph.create_op("NoOp", [], name="c/").name, "c")
        self.assertEqual(again.name, "scope/y")
        self.assertEqual(again.device, "/device:CPU:0")
        with tf.Session() as session:
            self.assertAllEqual(session.run(again.outputs[0]), [[-5]])
        with graph.gradient_override_map({"Square": "Own"}):
            node = graph.create_op("Square", [x], [tf.float32])
        self.assertEqual(node.get_attr("_gradient_op_type"), b"Own")

    def test_attributes_of_all_kinds_are_taken_from_messages(self):
        graph = tf.get_default_graph()
        shape = tf.TensorShape([None, 2]).as_proto()
        x = graph.create_op(
            "Placeholder", [], attrs={"dtype": attr(type=1), "shape": attr(shape=shape)}
        )
        self.assertEqual(x.outputs[0].shape.as_list(), [None, 2])
        value = tf.AttrValue(tensor=tf.make_tensor_proto([3, 4]), )
        constant = graph.create_op("Const", [], attrs={"dtype": attr(type=3), "value": value})
        strides = tf.AttrValue(list=tf.AttrValue.ListValue(i=[1, 1, 1, 1]))
        conv = graph.create_op(
            "Conv2D", [tf.zeros([1, 3, 3, 1]), tf.ones([1, 1, 1, 1])],
            attrs={"strides": strides, "padding": attr(s=b"SAME"), "_note": attr(s=b"mine"),
                   "_number": attr(i=7)},
        )  # fmt: skip
        self.assertEqual(conv.get_attr("strides"), [1, 1, 1, 1])
        self.assertEqual(conv.get_attr("padding"), b"SAME")
        self.assertEqual((conv.get_attr("_note"), conv.get_attr("_number")), (b"mine", 7))
        with tf.Session() as session:
            self.assertAllEqual(session.run(constant.outputs[0]), [3, 4])
            self.assertEqual(session.run(conv.outputs[0]).shape, (1, 3, 3, 1))

    def test_what_is_no_node_is_an_error(self):
        graph = tf.get_default_graph()
        with self.assertRaisesRegex(TypeError, "Input #0 is not a tensor"):
            graph.create_op("Neg", [1.0])
        with self.assertRaises(TypeError):
            graph.create_op("Neg", [tf.constant("text")])
        with self.assertRaisesRegex(ValueError, "an attribute has no value"):
            graph.create_op("Neg", [tf.constant(1.0)], attrs={"T": attr()})
        with self.assertRaisesRegex(tf.errors.NotFoundError, "NoSuchOp"):
            graph.create_op("NoSuchOp", [])
        graph.finalize()
        with self.assertRaisesRegex(RuntimeError, "finalized"):
            graph.create_op("NoOp", [])

    def test_a_node_knows_the_calls_that_have_added_it(self):
        y = squared(tf.constant(2.0))
        calls = y.op.traceback
        self.assertEqual([call.name for call in calls[-2:]],
                         ["test_a_node_knows_the_calls_that_have_added_it", "squared"])
        file, line, name, text = calls[-1]
        self.assertEqual((os.path.basename(file), name), ("created_ops_test.py", "squared"))
        self.assertEqual(text, "return tf.square(x)")
        self.assertEqual(y.op.defined_at, f"{file}:{line}")


if __name__ == "__main__":
    unittest.main()
