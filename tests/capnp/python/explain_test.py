"""What a session says of a step before it runs it, and the costs of a step that ran."""

import json
import unittest

import numpy as np

import troupe as tf


class ExplainTest(tf.test.TestCase):
    def test_an_explanation_names_the_device_of_each_operation_and_why(self):
        x = tf.placeholder(tf.float32, [2, 3], name="x")
        y = tf.matmul(x, tf.ones([3, 4]), name="y")
        with tf.Session() as session:
            explanation = session.explain(y, [x])
        self.assertEqual(explanation.placement, "default")
        self.assertEqual(len(explanation.devices), 1)
        nodes = {node.node: node for node in explanation.nodes}
        self.assertEqual(nodes["y"].device, "/job:localhost/task:0/device:CPU:0")
        self.assertEqual(nodes["y"].bytes, 2 * 4 * 4)
        self.assertIn("nothing asks for a device", nodes["y"].why)
        self.assertNotIn("x", nodes)  # it is fed
        self.assertIn("placement: default", str(explanation))
        self.assertEqual(json.loads(explanation.to_json())["nodes"][-1]["node"], "y")
        self.assertIn("subgraph cluster_0", str(explanation.show()))
        self.assertIn("1 devices", repr(explanation))

    def test_traced_steps_are_what_the_next_explanation_predicts_by(self):
        x = tf.random_uniform([30, 30])
        y = tf.matmul(x, x, name="y")
        with tf.Session() as session:
            before = session.explain(y)
            self.assertEqual(before.nodes[-1].measured_steps, 0)
            options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
            session.run(y, options=options, run_metadata=tf.RunMetadata())
            after = session.explain(y)
        self.assertEqual(after.nodes[-1].measured_steps, 1)
        self.assertEqual(after.nodes[-1].measured_ns, after.nodes[-1].predicted_ns)

    def test_what_is_not_in_the_graph_is_an_error(self):
        with tf.Session() as session:
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "Placeholder|fed"):
                session.run(tf.placeholder(tf.float32, [], name="unfed"))
            with self.assertRaises(ValueError):
                session.explain("nobody:0")

    def test_a_session_places_by_cost_where_its_config_says_so(self):
        config = tf.ConfigProto()
        config.experimental.placement = "cost"
        y = tf.negative(tf.random_uniform([2], 1.0, 1.0), name="y")
        with tf.Session(config=config) as session:
            self.assertEqual(session.explain(y).placement, "cost")
            for _ in range(5):
                np.testing.assert_equal(session.run(y), [-1.0, -1.0])
            self.assertEqual(session.explain(y).nodes[-1].measured_steps, 3)
        config.experimental.placement = "luck"
        with tf.Session(config=config) as session:
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "placement 'luck'"):
                session.run(y)

    def test_the_metadata_of_a_step_has_a_cost_graph(self):
        x = tf.random_uniform([1, 2], name="x")
        y = tf.matmul(x, tf.transpose(x), name="y")
        metadata = tf.RunMetadata()
        self.assertEqual(metadata.cost_graph.node, [])
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
        with tf.Session() as session:
            session.run(y, options=options, run_metadata=metadata)
        nodes = {node.name: node for node in metadata.cost_graph.node}
        self.assertEqual(nodes["y"].device, "/job:localhost/task:0/device:CPU:0")
        self.assertGreaterEqual(nodes["y"].compute_cost, 0)
        source = nodes["y"].input_info[0]
        self.assertEqual(source.preceding_node, nodes[x.op.name].id)
        self.assertEqual(source.preceding_port, 0)


if __name__ == "__main__":
    unittest.main()
