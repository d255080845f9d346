"""Summaries, and the event files that viewers read."""

import glob
import os
import struct
import unittest

import numpy as np

import troupe as tf


def events_of(folder):
    """All events of a folder but the first of each file, which is checked."""
    events = []
    for path in sorted(glob.glob(os.path.join(folder, "*tfevents*"))):
        read = list(tf.train.summary_iterator(path))
        assert read[0].file_version == "brain.Event:2", read[0]
        events += read[1:]
    return events


def summaries_of(folder):
    """[(step, tag)] of the values in a folder."""
    return [(e.step, v.tag) for e in events_of(folder) for v in e.summary.value]


class OpsTest(tf.test.TestCase):
    def values(self, *summaries):
        with tf.Session() as session:
            made = [tf.Summary.FromString(summary) for summary in session.run(list(summaries))]
        return [value for summary in made for value in summary.value]

    def test_numbers_and_histograms_have_the_tags_of_their_scopes(self):
        with tf.name_scope("outer"):
            one = tf.summary.scalar("loss", 1.5)
            two = tf.summary.scalar("a b", 2, family="f")
        three = tf.summary.histogram("w", [[1.0, 3.0]])
        loss, family, counts = self.values(one, two, three)
        self.assertEqual((loss.tag, loss.simple_value), ("outer/loss", 1.5))
        self.assertEqual((family.tag, family.simple_value), ("f/outer/f/a_b", 2))
        self.assertEqual((one.op.name, two.op.name), ("outer/loss", "outer/f/a_b"))
        self.assertEqual((counts.tag, counts.histo.num, counts.histo.sum), ("w", 2, 4))
        self.assertEqual(sum(counts.histo.bucket), 2)

    def test_an_image_is_a_file_of_its_pixels(self):
        pixels = np.arange(24, dtype=np.uint8).reshape([1, 2, 4, 3])
        (value,) = self.values(tf.summary.image("x", tf.constant(pixels), max_outputs=1))
        self.assertEqual((value.tag, value.image.width), ("x/image", 4))
        with tf.Session() as session:
            decoded = session.run(tf.image.decode_png(value.image.encoded_image_string))
        self.assertAllEqual(decoded, pixels[0])

    def test_tensors_and_texts_have_metadata(self):
        text = tf.summary.text("t", ["one", "two"])
        metadata = tf.SummaryMetadata(plugin_data=tf.SummaryMetadata.PluginData(plugin_name="p"))
        numbers = tf.summary.tensor_summary(
            "n", [1, 2], "described", summary_metadata=metadata, display_name="shown"
        )
        first, second = self.values(text, numbers)
        self.assertEqual(first.metadata.plugin_data.plugin_name, "text")
        self.assertEqual(list(first.tensor.string_val), [b"one", b"two"])
        self.assertEqual(second.metadata.plugin_data.plugin_name, "p")
        self.assertEqual(second.metadata.summary_description, "described")
        self.assertEqual(second.metadata.display_name, "shown")
        self.assertRaises(ValueError, tf.summary.text, "t", [1])

    def test_all_summaries_of_a_collection_are_merged(self):
        self.assertIsNone(tf.summary.merge_all())
        tf.summary.scalar("a", 1.0)
        with tf.name_scope("s"):
            tf.summary.scalar("b", 2.0)
            tf.summary.scalar("c", 3.0, collections=["other"])
        tags = [value.tag for value in self.values(tf.summary.merge_all())]
        self.assertEqual(tags, ["a", "s/b"])
        tags = [value.tag for value in self.values(tf.summary.merge_all(scope="s/"))]
        self.assertEqual(tags, ["s/b"])
        self.assertEqual(tf.get_collection(tf.GraphKeys.SUMMARIES), tf.get_collection("summaries"))
        twice = tf.summary.merge([tf.get_collection("other")[0]] * 2)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "Duplicate tag s/c"):
            self.values(twice)


class WriterTest(tf.test.TestCase):
    def test_what_is_added_is_read_in_order(self):
        folder = os.path.join(self.get_temp_dir(), "new")
        x = tf.placeholder(tf.float32, name="x")
        tf.negative(x, name="y")
        metadata = tf.RunMetadata()
        with tf.summary.FileWriter(folder, tf.get_default_graph()) as writer:
            value = tf.Summary.Value(tag="a", simple_value=2.5)
            value.metadata.display_name = "shown"
            for step in range(2):
                writer.add_summary(tf.Summary(value=[value]), step)
            writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 7)
            with tf.Session() as session:
                options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
                session.run("y:0", {x: 1.0}, options, metadata)
            writer.add_run_metadata(metadata, "step", 8)
            with self.assertRaises(ValueError):
                writer.add_run_metadata(metadata, "step", 9)
        with self.assertWarnsRegex(UserWarning, "reopen"):
            writer.add_summary(b"", 9)  # nothing after close
        graph, first, second, log, run = events_of(folder)
        self.assertIn(b"\x0a\x01y\x12\x03Neg\x1a\x01x", graph.graph_def)
        self.assertEqual([first.step, second.step, log.step, run.step], [0, 1, 7, 8])
        self.assertEqual(first.summary.value[0].metadata.display_name, "shown")
        self.assertFalse(second.summary.value[0].HasField("metadata"))
        self.assertEqual(log.session_log.status, tf.SessionLog.START)
        self.assertIn(b"y = Neg", run.tagged_run_metadata.run_metadata)
        self.assertGreater(first.wall_time, 1e9)

    def test_records_have_the_checksums_of_their_format(self):
        folder = self.get_temp_dir()
        writer = tf.summary.FileWriter(folder, filename_suffix=".end")
        writer.flush()
        (path,) = glob.glob(os.path.join(folder, "events.out.tfevents.*.end"))
        with open(path, "rb") as file:
            data = file.read()
        length, crc_of_length = struct.unpack("<QI", data[:12])
        self.assertEqual(len(data), 12 + length + 4)
        self.assertEqual(tf.Event.FromString(data[12:-4]).file_version, "brain.Event:2")
        self.assertEqual((length, crc_of_length), (24, 0x224B7FA3))
        damaged = data[:20] + b"x" + data[21:]
        with open(path, "wb") as file:
            file.write(damaged)
        with self.assertRaises(tf.errors.DataLossError):
            list(tf.train.summary_iterator(path))

    def test_a_closed_writer_begins_another_file(self):
        folder = self.get_temp_dir()
        writer = tf.summary.FileWriter(folder, filename_suffix=".end")
        writer.close()
        writer.close()
        writer.reopen()
        writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="a", simple_value=1)]))
        writer.close()
        self.assertEqual(summaries_of(folder), [(0, "a")])
        self.assertEqual(len(glob.glob(os.path.join(folder, "events.*.end"))), 2)

    def test_all_files_of_a_writer_have_its_suffix(self):
        folder = self.get_temp_dir()
        writer = tf.summary.FileWriter(folder, filename_suffix=".own")
        for _ in range(2):
            writer.close()
            writer.reopen()
        writer.close()
        self.assertEqual([name[-4:] for name in os.listdir(folder)], [".own"] * 3)

    def test_a_writer_shows_its_folder_and_whether_it_is_open(self):
        folder = self.get_temp_dir()
        writer = tf.summary.FileWriter(folder)
        self.assertEqual(repr(writer), f"<tf.summary.FileWriter to {folder!r}, open>")
        writer.close()
        self.assertEqual(repr(writer), f"<tf.summary.FileWriter to {folder!r}, closed>")

    def test_writers_of_a_folder_are_shared(self):
        folder = self.get_temp_dir()
        writer = tf.summary.FileWriterCache.get(folder)
        self.assertIs(tf.summary.FileWriterCache.get(folder), writer)
        tf.summary.FileWriterCache.clear()
        self.assertIsNot(tf.summary.FileWriterCache.get(folder), writer)
        tf.summary.FileWriterCache.clear()

    def test_a_folder_that_cannot_be_made_is_an_error(self):
        path = os.path.join(self.get_temp_dir(), "file")
        open(path, "w").close()
        with self.assertRaises(tf.errors.OpError):
            tf.summary.FileWriter(os.path.join(path, "folder"))


class TrainingTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.step = tf.train.create_global_step()
        self.train = tf.assign_add(self.step, 1)
        tf.summary.scalar("x", tf.constant(1.0))

    def tearDown(self):
        tf.summary.FileWriterCache.clear()
        super().tearDown()

    def test_a_monitored_training_writes_summaries_and_its_speed(self):
        folder = self.get_temp_dir()
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=folder, save_summaries_steps=2, log_step_count_steps=3
        ) as session:
            for _ in range(7):
                session.run(self.train)
        found = summaries_of(folder)
        self.assertEqual([s for s, tag in found if tag == "x"], [1, 3, 5, 7])
        self.assertTrue([s for s, tag in found if tag == "global_step/sec"])
        logs = [
            e.session_log.status for e in events_of(folder) if e.WhichOneof("what") != "summary"
        ]
        self.assertIn(tf.SessionLog.START, logs)

    def test_no_summaries_are_written_where_none_are_wanted(self):
        folder = self.get_temp_dir()
        with tf.train.MonitoredTrainingSession(
            summary_dir=folder, save_summaries_steps=None, save_summaries_secs=None,
            log_step_count_steps=None,
        ) as session:  # fmt: skip
            session.run(self.train)
        self.assertEqual(os.listdir(folder), [])

    def test_a_hook_needs_one_source_of_summaries(self):
        hook = tf.train.SummarySaverHook
        self.assertRaises(ValueError, hook, 1)
        self.assertRaises(ValueError, hook, 1, scaffold=tf.train.Scaffold(), summary_op="x:0")
        self.assertRaises(ValueError, hook, summary_op="x:0")

    def test_a_profiler_adds_metadata_of_steps(self):
        folder = self.get_temp_dir()
        hooks = [tf.train.ProfilerHook(save_steps=1, output_dir=folder)]
        with tf.train.MonitoredSession(hooks=hooks) as session:
            session.run(self.train)
        tags = [event.tagged_run_metadata.tag for event in events_of(folder)]
        self.assertEqual(len([tag for tag in tags if tag.startswith("step_")]), 1)

    def test_a_supervisor_writes_summaries_by_a_thread(self):
        folder = self.get_temp_dir()
        supervisor = tf.train.Supervisor(logdir=folder, save_summaries_secs=0.01)
        self.assertIsNotNone(supervisor.summary_op)
        with supervisor.managed_session() as session:
            for _ in range(1000):
                session.run(self.train)
                supervisor.summary_writer.flush()
                tags = {tag for _, tag in summaries_of(folder)}
                if tags >= {"x", "global_step/sec"}:
                    break
        self.assertGreaterEqual(tags, {"x", "global_step/sec"})
        what = [event.WhichOneof("what") for event in events_of(folder)]
        self.assertIn("graph_def", what)
        last = [event for event in events_of(folder) if event.WhichOneof("what") == "session_log"]
        self.assertEqual(last[-1].session_log.status, tf.SessionLog.STOP)

    def test_a_program_may_write_the_summaries_of_a_supervisor_itself(self):
        folder = self.get_temp_dir()
        supervisor = tf.train.Supervisor(logdir=folder, summary_op=None)
        self.assertIsNone(supervisor.summary_op)
        merged = tf.summary.merge_all()
        with supervisor.managed_session() as session:
            session.run(self.train)
            supervisor.summary_computed(session, session.run(merged))
        self.assertIn((1, "x"), summaries_of(folder))
        other = tf.train.Supervisor(tf.Graph(), is_chief=False, logdir=folder)
        self.assertIsNone(other.summary_writer)
        with self.assertRaisesRegex(RuntimeError, "summary writer"):
            other.summary_computed(None, b"")

    def test_a_supervisor_gives_a_session_of_its_own_accord(self):
        supervisor = tf.train.Supervisor(logdir=self.get_temp_dir(), save_model_secs=0)
        session = supervisor.prepare_or_wait_for_session(start_standard_services=False)
        self.assertEqual(session.run(self.train), 1)
        self.assertEqual(supervisor.start_queue_runners(session), [])
        self.assertEqual(supervisor.save_path[-10:], "model.ckpt")
        supervisor.stop()


if __name__ == "__main__":
    unittest.main()
