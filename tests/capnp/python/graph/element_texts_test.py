"""How tensors and nodes are printed, and what the tensor of a variable's name is called."""

import unittest

import numpy as np

import troupe as tf


class ElementTextsTest(tf.test.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_tensors_are_printed_as_by_tensorflow(self):
        with tf.device("/job:ps/task:0"):
            placed = tf.constant([1, 2], name="placed")
        fed = tf.placeholder(tf.float32, [None, 3], "x")
        for tensor, text in (
            (fed, 'Tensor("x:0", shape=(?, 3), dtype=float32)'),
            (tf.constant(1, name="c"), 'Tensor("c:0", shape=(), dtype=int32)'),
            (tf.placeholder(tf.string, name="any"), 'Tensor("any:0", dtype=string)'),
            (placed, 'Tensor("placed:0", shape=(2,), dtype=int32, device=/job:ps/task:0)'),
        ):
            self.assertEqual(str(tensor), text)
        self.assertEqual(repr(placed), "<tf.Tensor 'placed:0' shape=(2,) dtype=int32>")

    def test_parts_of_sparse_tensors_are_printed_likewise(self):
        rows = tf.IndexedSlices(tf.ones([1, 2], name="v"), tf.constant([0], name="i"))
        self.assertEqual(
            str(rows),
            'IndexedSlices(indices=Tensor("i:0", shape=(1,), dtype=int32), '
            'values=Tensor("v:0", shape=(1, 2), dtype=float32))',
        )
        whole = tf.IndexedSlices(rows.values, rows.indices, tf.constant([3, 2], name="s"))
        self.assertIn('dense_shape=Tensor("s:0", shape=(2,), dtype=int32))', str(whole))
        sparse = tf.SparseTensor([[0]], [1], [2])
        self.assertRegex(str(sparse), r'^SparseTensor\(indices=Tensor\(".*", shape=\(1, 1\)')

    def test_a_node_is_printed_as_its_message(self):
        node = tf.no_op("nothing")
        self.assertEqual(str(node), 'name: "nothing"\nop: "NoOp"\n')
        self.assertEqual(repr(node), "<tf.Operation 'nothing' type=NoOp>")

    def test_the_value_of_a_variable_has_the_name_by_which_it_was_asked_for(self):
        for use_resource in (True, False):
            tf.reset_default_graph()
            graph = tf.get_default_graph()
            variable = tf.get_variable("w", initializer=[1.0, 2.0], use_resource=use_resource)
            twice = variable * 2
            value = graph.get_tensor_by_name("w:0")
            self.assertEqual(value.name, "w:0")
            self.assertIs(graph.get_tensor_by_name("w:0"), value)
            self.assertEqual(graph.get_tensor_by_name(value.op.name + ":0").op, value.op)
            self.assertEqual(len(value.consumers()), len(value.op.outputs[0].consumers()))
            self.assertIs(tf.is_variable_initialized(value).dtype, tf.bool)
            self.assertNotEqual(tf.saved_model.utils.build_tensor_info(value).name, "w:0")
            (gradient,) = tf.gradients(value * value, value)
            with tf.Session() as session:
                session.run(variable.initializer)
                found = session.run({"value": value, "list": [value, "w:0", gradient]})
                self.assertAllEqual(found["value"], [1, 2])
                self.assertAllEqual(found["list"], [[1, 2], [1, 2], [2, 4]])
                self.assertAllEqual(session.run(value), [1, 2])
                self.assertAllEqual(session.run(twice, {value: [3, 4]}), [6, 8])
                self.assertAllEqual(session.run(value + np.float32(1)), [2, 3])
                handle = session.partial_run_setup([twice], [value])
                self.assertAllEqual(session.partial_run(handle, twice, {value: [5, 6]}), [10, 12])

    def test_a_hook_logs_the_value_of_a_variable_by_its_name(self):
        tf.get_variable("w", initializer=2.5)
        tf.train.create_global_step()
        value = tf.get_default_graph().get_tensor_by_name("w:0")
        hook = tf.train.LoggingTensorHook({"value": value, "name": "w:0"}, every_n_iter=1)
        with self.assertLogs("troupe", "INFO") as logs:
            with tf.train.MonitoredTrainingSession(hooks=[hook]) as session:
                session.run(value)
        self.assertIn("value = 2.5", "".join(logs.output))


if __name__ == "__main__":
    unittest.main()
