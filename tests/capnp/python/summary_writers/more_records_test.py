"""Sounds, tensors, graphs and events are recorded as by TensorFlow 1.15."""

import os
import tempfile
import unittest

import numpy as np

import troupe as tf

summary = tf.contrib.summary


class MoreRecordsTest(tf.test.TestCase):
    def recorded(self, make, feed=None):
        """The events that an op writes in step 3, but for the first one of the file."""
        folder = tempfile.mkdtemp()
        step = tf.train.get_or_create_global_step()
        writer = summary.create_file_writer(folder, flush_millis=0)
        with writer.as_default(), summary.always_record_summaries(), tf.name_scope("scope"):
            op = make()
        with self.session() as session:
            session.run([tf.global_variables_initializer(), writer.init()])
            session.run(tf.assign(step, 3))
            session.run(op, feed)
            session.run(writer.flush())
        files = [os.path.join(folder, name) for name in os.listdir(folder)]
        return [event for file in files for event in tf.train.summary_iterator(file)][1:]

    def test_a_tensor(self):
        metadata = tf.SummaryMetadata()
        metadata.plugin_data.plugin_name = "plugin"
        (event,) = self.recorded(
            lambda: summary.generic("g", [b"a", b"bc"], metadata, family="family")
        )
        (value,) = event.summary.value
        self.assertEqual((event.step, value.tag), (3, "family/scope/family/g"))
        self.assertEqual(value.metadata.plugin_data.plugin_name, "plugin")
        self.assertEqual(tf.make_ndarray(value.tensor).tolist(), [b"a", b"bc"])

    def test_the_first_sound_of_a_batch(self):
        waves = np.sin(np.arange(20.0)).reshape(2, 10).astype(np.float32)
        (event,) = self.recorded(lambda: summary.audio("a", waves, 8000.0, 1, step=7))
        (value,) = event.summary.value
        self.assertEqual((event.step, value.tag), (7, "scope/a/audio"))
        self.assertEqual((value.audio.sample_rate, value.audio.length_frames), (8000.0, 10))

    def test_a_graph_that_is_fed(self):
        message = tf.GraphDef()
        message.node.add(name="n", op="NoOp")
        text = tf.placeholder(tf.string)
        feed = {text: message.SerializeToString()}
        (event,) = self.recorded(lambda: summary.graph(text), feed)
        self.assertEqual((event.step, event.graph_def), (3, message.SerializeToString()))
        with self.assertRaisesRegex(TypeError, "needs a tf.Tensor"):
            summary.graph(tf.get_default_graph())

    def test_an_event_of_another_program(self):
        given = tf.Event(step=9)
        given.summary.value.add(tag="t", simple_value=2.0)
        (event,) = self.recorded(lambda: summary.import_event(given.SerializeToString()))
        self.assertEqual((event.step, event.summary.value[0].simple_value), (9, 2.0))

    def test_without_a_writer_nothing_is_recorded(self):
        self.assertEqual(summary.graph(tf.constant("")).type, "NoOp")
        self.assertEqual(summary.generic("g", 1).type, "NoOp")
        with self.assertRaises(AttributeError):
            summary.import_event("")

    def test_folders_of_evaluations(self):
        self.assertEqual(summary.eval_dir("/a"), "/a/eval")
        self.assertEqual(summary.eval_dir("/a", "b"), "/a/eval_b")


if __name__ == "__main__":
    unittest.main()
