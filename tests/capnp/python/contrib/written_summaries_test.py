"""Summaries that steps write by themselves."""

import os
import tempfile

import troupe as tf

summary = tf.contrib.summary


class WrittenSummariesTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = made.name

    def events(self):
        return [
            event
            for name in sorted(os.listdir(self.folder))
            for event in tf.train.summary_iterator(os.path.join(self.folder, name))
        ]

    def written(self):
        """(step, tag, number) of all numbers."""
        return [
            (event.step, value.tag, value.simple_value)
            for event in self.events()
            for value in event.summary.value
        ]

    def run_steps(self, writer, count):
        step = tf.train.get_or_create_global_step()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(summary.summary_writer_initializer_op())
            for _ in range(count):
                session.run(summary.all_summary_ops())
                session.run(tf.assign_add(step, 1))
            session.run(writer.flush())

    def test_each_step_records_where_it_always_should(self):
        writer = summary.create_file_writer(self.folder, flush_millis=1000)
        with writer.as_default(), summary.always_record_summaries(), tf.name_scope("outer"):
            summary.scalar("x", tf.constant(2.5))
            summary.scalar("y", 1.5, family="f", step=7)
        self.run_steps(writer, 2)
        outer = [row for row in self.written() if row[1] == "outer/x"]
        self.assertEqual(outer, [(0, "outer/x", 2.5), (1, "outer/x", 2.5)])
        others = [row for row in self.written() if row not in outer]
        self.assertEqual([(step, value) for step, _, value in others], [(7, 1.5)] * 2)
        self.assertTrue(others[0][1].startswith("f/"))

    def test_only_some_steps_record(self):
        writer = summary.create_file_writer(self.folder)
        with writer.as_default(), summary.record_summaries_every_n_global_steps(2):
            summary.scalar("x", 2.5)
        self.run_steps(writer, 4)
        self.assertEqual(self.written(), [(0, "x", 2.5), (2, "x", 2.5)])
        self.assertEqual(tf.summary.all_v2_summary_ops(), summary.all_summary_ops())

    def test_nothing_is_recorded_without_being_asked_for(self):
        writer = summary.create_file_writer(self.folder)
        summary.scalar("a", 1.0)
        self.assertEqual(summary.all_summary_ops(), [])
        with writer.as_default():
            self.assertFalse(summary.should_record_summaries())
            summary.scalar("b", 1.0)
            with summary.never_record_summaries():
                summary.scalar("c", 1.0)
        nothing = summary.create_file_writer(None)
        with nothing.as_default(), summary.always_record_summaries():
            summary.scalar("d", 1.0)
        self.run_steps(writer, 1)
        self.assertEqual(self.written(), [])

    def test_values_and_images_are_recorded(self):
        writer = summary.create_file_writer(self.folder)
        with writer.as_default(), summary.always_record_summaries():
            summary.histogram("h", [1.0, 2.0, 2.0])
            summary.image("i", tf.zeros([2, 3, 3, 1]), max_images=1)
        self.run_steps(writer, 1)
        values = {value.tag: value for event in self.events() for value in event.summary.value}
        self.assertEqual(values["h"].histo.num, 3)
        self.assertEqual([tag for tag in values if tag.startswith("i/")], ["i/image"])

    def test_all_writers_of_a_graph_are_opened_and_the_graph_written(self):
        writer = summary.create_file_writer(self.folder, filename_suffix=".mine")
        with self.assertRaisesRegex(RuntimeError, "No default"):
            summary.initialize()
        with writer.as_default():
            with self.assertRaisesRegex(ValueError, "session must be passed"):
                summary.initialize()
            with tf.Session() as session:
                tf.summary.initialize(graph=tf.get_default_graph())
                session.run(writer.close())
        (name,) = os.listdir(self.folder)
        self.assertTrue(name.endswith(".mine"))
        self.assertTrue(any(event.graph_def for event in self.events()))


if __name__ == "__main__":
    tf.test.main()
