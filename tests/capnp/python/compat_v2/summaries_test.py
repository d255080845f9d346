"""The summaries of `tf.compat.v2.summary`, and what is in their files."""

import glob
import unittest

import numpy as np

import troupe as tf

summary = tf.compat.v2.summary


class SummariesTest(tf.test.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.folder = self.get_temp_dir() + "/" + self.id()

    def written(self, make, feeds=({},)):
        """The values of the events that steps write, with the numbers of the steps."""
        with summary.create_file_writer(self.folder).as_default() as writer:
            ops = make()
            with tf.Session() as session:
                session.run(writer.init())
                results = [session.run(ops, feed() if callable(feed) else feed) for feed in feeds]
                session.run(writer.flush())
        found = []
        for path in glob.glob(self.folder + "/*.v2"):
            for event in tf.train.summary_iterator(path):
                found += [(event.step, value) for value in event.summary.value]
        return found, results

    def test_numbers_have_the_metadata_of_their_plugin(self):
        step = tf.placeholder_with_default(tf.constant(3, tf.int64), [])
        make = lambda: summary.scalar("loss", 2, step, "what it is")  # noqa: E731
        found, results = self.written(make, [{}, {step: 4}])
        self.assertEqual(results, [True, True])
        self.assertEqual([(at, value.tag) for at, value in found], [(3, "loss"), (4, "loss")])
        value = found[0][1]
        self.assertEqual(value.metadata.plugin_data.plugin_name, "scalars")
        self.assertEqual(value.metadata.summary_description, "what it is")
        self.assertAllEqual(tf.make_ndarray(value.tensor), np.float32(2))
        with self.assertRaises(ValueError):
            self.written(lambda: summary.scalar("loss", [1, 2], 1))

    def test_tags_have_the_scopes_around_them(self):
        def make():
            with tf.name_scope("outer"):
                return [summary.scalar("a b", 1.0, 1), summary.text("note", ["x", "y"], 1)]

        found, _ = self.written(make)
        values = {value.tag: value for _, value in found}
        self.assertEqual(set(values), {"outer/a b", "outer/note"})
        self.assertEqual(tf.make_ndarray(values["outer/note"].tensor).tolist(), [b"x", b"y"])
        self.assertEqual(values["outer/note"].metadata.plugin_data.plugin_name, "text")

    def test_images_are_files_behind_their_sizes(self):
        pixels = np.linspace(0, 1, 4 * 2 * 3).reshape(4, 2, 3, 1).astype(np.float32)
        found, _ = self.written(lambda: summary.image("im", pixels, 1, max_outputs=2))
        strings = tf.make_ndarray(found[0][1].tensor)
        self.assertEqual(strings[:2].tolist(), [b"3", b"2"])
        self.assertEqual(len(strings), 4)
        decoded = self.evaluate(tf.image.decode_png(strings[3]))
        self.assertAllClose(decoded / 255.0, pixels[1], atol=1 / 255)
        self.assertEqual(found[0][1].metadata.plugin_data.plugin_name, "images")

    def test_sounds_are_files_with_labels(self):
        sounds = np.sin(np.arange(20)).reshape(2, 10, 1).astype(np.float32)
        found, _ = self.written(lambda: summary.audio("so", sounds, 8000, 1, max_outputs=1))
        strings = tf.make_ndarray(found[0][1].tensor)
        self.assertEqual((strings.shape, strings[0, 1]), ((1, 2), b""))
        decoded, rate = self.evaluate(tf.audio.decode_wav(strings[0, 0]))
        self.assertAllClose(decoded, sounds[0], atol=1e-4)
        self.assertEqual(rate, 8000)
        data = found[0][1].metadata.plugin_data
        self.assertEqual((data.plugin_name, data.content), ("audio", b"\x10\x0b"))

    def test_histograms_count_values_in_buckets(self):
        values = tf.placeholder(tf.float32, [None])
        found, _ = self.written(
            lambda: summary.histogram("hi", values, 1, buckets=4),
            [{values: [0, 1, 1.5, 4]}, {values: [2, 2]}, {values: []}],
        )
        tensors = [tf.make_ndarray(value.tensor) for _, value in found]
        self.assertAllClose(tensors[0], [[0, 1, 1], [1, 2, 2], [2, 3, 0], [3, 4, 1]])
        self.assertAllClose(tensors[1], [[1.5, 2.5, 2]])
        self.assertEqual(tensors[2].shape, (0, 3))
        self.assertEqual(found[0][1].metadata.plugin_data.plugin_name, "histograms")

    def test_conditions_and_steps_are_those_of_the_context(self):
        step = tf.placeholder(tf.int64, [])

        def make():
            summary.experimental.set_step(step)
            try:
                with summary.record_if(lambda: tf.equal(step % 2, 0)):
                    even = summary.scalar("even", 1.0)
                with summary.record_if(False):
                    never = summary.scalar("never", 1.0)
                return [even, never, summary.write("raw", tf.constant([1, 2]), metadata=b"")]
            finally:
                summary.experimental.set_step(None)

        found, results = self.written(make, [{step: 1}, {step: 2}])
        self.assertEqual(results, [[False, False, True], [True, False, True]])
        # Those of one step come in any order.
        tags = sorted((at, value.tag) for at, value in found)
        self.assertEqual(tags, [(1, "raw"), (2, "even"), (2, "raw")])
        self.assertIsNone(summary.experimental.get_step())

    def test_without_a_writer_nothing_is_written(self):
        self.assertFalse(self.evaluate(summary.scalar("loss", 1.0)))
        with summary.create_noop_writer().as_default():
            self.assertFalse(self.evaluate(summary.scalar("loss", 1.0, 1)))
        with summary.create_file_writer(self.folder).as_default():
            with self.assertRaisesRegex(ValueError, "No step set"):
                summary.scalar("loss", 1.0)
            with self.assertRaisesRegex(ValueError, "Expected strings"):
                summary.text("note", 3, 1)
            with self.assertRaisesRegex(ValueError, "Unknown encoding"):
                summary.audio("so", np.zeros([1, 2, 1], np.float32), 8000, 1, encoding="mp3")
            self.assertEqual(len(tf.contrib.summary.all_summary_ops()), 0)
            summary.scalar("loss", 1.0, 1)
            self.assertEqual(len(tf.contrib.summary.all_summary_ops()), 1)
            # Those of TensorFlow 1 are still off by themselves.
            self.assertIs(tf.contrib.summary.should_record_summaries(), False)


if __name__ == "__main__":
    unittest.main()
