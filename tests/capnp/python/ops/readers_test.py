"""Readers: records of files whose names come from a queue."""

import os
import threading

import troupe as tf


def queue():
    return tf.raw_ops.FIFOQueueV2(component_types=[tf.string])


def enqueue(handle, *names):
    return tf.raw_ops.QueueEnqueueManyV2(handle=handle, components=[list(names)])


class ReadersTest(tf.test.TestCase):
    def file(self, name, content):
        path = os.path.join(self.get_temp_dir(), name)
        with open(path, "wb") as file:
            file.write(content)
        return path.encode()

    def all_records(self, reader, *paths):
        """What the reader gives of those files."""
        handle = queue()
        fill, close = enqueue(handle, *paths), tf.raw_ops.QueueCloseV2(handle=handle)
        key, value = reader.read(handle)
        records = []
        with tf.Session() as session:
            session.run(fill)
            session.run(close)
            while True:
                try:
                    records.append(session.run((key, value)))
                except tf.errors.OutOfRangeError:
                    counts = (reader.num_records_produced(), reader.num_work_units_completed())
                    self.assertEqual(session.run(counts), (len(records), len(paths)))
                    return records

    def test_lines(self):
        one, two = self.file("one", b"head\na\n\nb"), self.file("two", b"head\r\nc\r\n")
        self.assertEqual(
            self.all_records(tf.TextLineReader(skip_header_lines=1), one, two),
            [(one + b":2", b"a"), (one + b":3", b""), (one + b":4", b"b"), (two + b":2", b"c")],
        )

    def test_whole_files_and_names(self):
        one, two = self.file("one", b"all\0of it"), self.file("two", b"")
        self.assertEqual(
            self.all_records(tf.WholeFileReader(), one, two), [(one, b"all\0of it"), (two, b"")]
        )
        self.assertEqual(
            self.all_records(tf.IdentityReader("names"), b"a", b"b"), [(b"a", b"a"), (b"b", b"b")]
        )

    def test_records_of_one_length(self):
        path = self.file("fixed", b"Habcd..F")
        reader = tf.FixedLengthRecordReader(2, header_bytes=1, footer_bytes=1, hop_bytes=3)
        self.assertEqual(
            self.all_records(reader, path), [(path + b":0", b"ab"), (path + b":1", b"d.")]
        )
        with self.assertRaises((ValueError, tf.errors.InvalidArgumentError)):
            self.all_records(tf.FixedLengthRecordReader(-1), path)

    def test_record_files(self):
        path = os.path.join(self.get_temp_dir(), "records")
        for options in (None, tf.io.TFRecordOptions("GZIP")):
            with tf.io.TFRecordWriter(path, options) as writer:
                writer.write(b"abc")
                writer.write(b"d")
            self.assertEqual(
                self.all_records(tf.TFRecordReader(options=options), path.encode()),
                [(f"{path}:0".encode(), b"abc"), (f"{path}:19".encode(), b"d")],
            )

    def test_several_records_at_once(self):
        path = self.file("lines", b"1\n2\n3\n")
        handle, reader = queue(), tf.TextLineReader()
        keys, values = reader.read_up_to(handle, 2)
        self.assertEqual([keys.shape.as_list(), values.shape.as_list()], [[None], [None]])
        with tf.Session() as session:
            session.run(enqueue(handle, path))
            self.assertEqual(session.run(values).tolist(), [b"1", b"2"])
            self.assertEqual(session.run(keys).tolist(), [path + b":3"])

    def test_a_read_waits_for_the_next_file_and_can_be_cancelled(self):
        handle, reader = queue(), tf.IdentityReader()
        key, value = reader.read(handle)
        fill = enqueue(handle, "late")
        with tf.Session() as session:
            got = []
            thread = threading.Thread(target=lambda: got.append(session.run((key, value))))
            thread.start()
            session.run(fill)
            thread.join()
            self.assertEqual(got, [(b"late", b"late")])
            with self.assertRaises(tf.errors.DeadlineExceededError):
                session.run(value, options=tf.RunOptions(timeout_in_ms=100))
            session.run(fill)
            self.assertEqual(session.run(key), b"late")

    def test_states(self):
        handle, reader = queue(), tf.IdentityReader()
        self.assertTrue(reader.supports_serialize)
        _, value = reader.read(handle)
        state, restored = reader.serialize_state(), tf.placeholder(tf.string, [])
        restore, produced = reader.restore_state(restored), reader.num_records_produced()
        with tf.Session() as session:
            session.run(enqueue(handle, "a", "b"))
            session.run(value)
            saved = session.run(state)
            session.run(value)
            session.run(restore, {restored: saved})
            self.assertEqual(session.run(produced), 1)
            session.run(reader.reset())
            self.assertEqual(session.run(produced), 0)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "Could not parse state"):
                session.run(restore, {restored: b"nonsense"})
            lines = tf.TextLineReader()
            self.assertFalse(lines.supports_serialize)
            with self.assertRaises(tf.errors.UnimplementedError):
                session.run(lines.serialize_state())

    def test_a_missing_file_is_named_and_the_next_one_read(self):
        path = self.file("there", b"line\n")
        handle, reader = queue(), tf.TextLineReader()
        _, value = reader.read(handle)
        with tf.Session() as session:
            session.run(enqueue(handle, "/no/such/file", path))
            with self.assertRaisesRegex(tf.errors.NotFoundError, "/no/such/file"):
                session.run(value)
            self.assertEqual(session.run(value), b"line")

    def test_a_reader_by_reference(self):
        reference = tf.raw_ops.IdentityReader()
        reader, handle = tf.ReaderBase(reference, supports_serialize=True), queue()
        key, _ = reader.read(handle)
        with tf.Session() as session:
            session.run(enqueue(handle, "a"))
            self.assertEqual(session.run(key), b"a")
            self.assertEqual(session.run(reader.num_work_units_completed()), 1)


if __name__ == "__main__":
    tf.test.main()
