"""Pictures of graphs and traces of steps."""

import json
import os
import tempfile
import unittest

import troupe as tf


def traced(target=""):
    """The metadata of a step that reads a variable."""
    v = tf.Variable([1.0, 2.0], name="weights")
    total = tf.reduce_sum(v * 2.0, name="total")
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
    with tf.Session(target) as session:
        session.run(v.initializer)
        session.run(total, options=options, run_metadata=metadata)
    return metadata


class PicturesTest(tf.test.TestCase):
    def test_a_graph_shows_its_nodes_and_their_device_constraints(self):
        with tf.device("/job:ps/task:0"):
            x = tf.constant(1.0, name="here")
        tf.negative(x, name="there")
        text = str(tf.get_default_graph().show())
        self.assertTrue(text.startswith("digraph"))
        for word in ("here", "there", "/job:ps/task:0"):
            self.assertIn(word, text)

    def test_a_step_shows_the_devices_of_its_nodes(self):
        metadata = traced()
        text = str(tf.get_default_graph().show(metadata))
        self.assertIn("/job:localhost/task:0/device:CPU:0", text)
        self.assertIn("total", text)

    def test_a_picture_is_drawn_and_saved_by_its_suffix(self):
        tf.constant(1.0, name="x")
        picture = tf.get_default_graph().show()
        self.assertIn("<svg", picture._repr_svg_())
        with tempfile.TemporaryDirectory() as folder:
            for suffix, begin in ((".dot", b"digraph"), (".svg", b"<?xml"), (".png", b"\x89PNG")):
                path = os.path.join(folder, "graph" + suffix)
                picture.save(path)
                with open(path, "rb") as file:
                    self.assertTrue(file.read().startswith(begin), suffix)
            with self.assertRaisesRegex(RuntimeError, "nonsense"):
                picture.save(os.path.join(folder, "graph.nonsense"))

    def test_a_trace_has_a_slice_for_each_node_and_for_the_time_between(self):
        metadata = traced()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            metadata.save_trace(path)
            with open(path, encoding="utf-8") as file:
                events = json.load(file)["traceEvents"]
        slices = {event["name"] for event in events if event["ph"] == "X"}
        between = {name for name in slices if name.split(": ")[0] in ("queue", "network", "actor")}
        self.assertIn("actor: start", between)
        nodes = [node for device in metadata.step_stats.dev_stats for node in device.node_stats]
        self.assertEqual(slices - between, {node.node_name for node in nodes})

    def test_metadata_that_no_step_has_filled_are_an_error(self):
        with self.assertRaisesRegex(ValueError, "Session.run"):
            tf.get_default_graph().show(tf.RunMetadata())


if __name__ == "__main__":
    tf.test.main()
