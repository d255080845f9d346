"""Files of records: written, read, compressed, damaged."""

import gzip
import os
import pathlib
import zlib

import troupe as tf

RECORDS = [b"one", b"", "\u00e9".encode(), b"x" * 300_000]


class TFRecordTest(tf.test.TestCase):
    def path(self, name):
        return os.path.join(self.get_temp_dir(), name)

    def write(self, path, options=None, records=tuple(RECORDS)):
        with tf.python_io.TFRecordWriter(path, options) as writer:
            for record in records:
                writer.write(record)

    def test_records_are_read_as_they_were_written(self):
        path = self.path("records")
        types = tf.io.TFRecordCompressionType
        for options in (
            None, "", "GZIP", "ZLIB", types.NONE, types.GZIP, types.ZLIB,
            tf.io.TFRecordOptions("GZIP", compression_level=1, mem_level=1, window_bits=9),
            tf.python_io.TFRecordOptions(types.ZLIB, compression_strategy=2),
        ):  # fmt: skip
            with self.subTest(options=options):
                self.write(path, options)
                self.assertEqual(list(tf.io.tf_record_iterator(path, options)), RECORDS)

    def test_the_bytes_are_those_of_the_format(self):
        plain = b"\x01\0\0\0\0\0\0\0\x01u\xdeAaxn\xe4("
        self.write(self.path("plain"), records=[b"a"])
        self.write(self.path("gzip"), "GZIP", records=["a"])
        self.write(self.path("zlib"), "ZLIB", records=[bytearray(b"a")])
        self.assertEqual(pathlib.Path(self.path("plain")).read_bytes(), plain)
        with gzip.open(self.path("gzip")) as file:
            self.assertEqual(file.read(), plain)
        self.assertEqual(zlib.decompress(pathlib.Path(self.path("zlib")).read_bytes()), plain)

    def test_flushed_records_can_be_read(self):
        for options in ("", "GZIP"):
            path = self.path("flushed")
            writer = tf.io.TFRecordWriter(path, options)
            writer.write(b"first")
            writer.flush()
            self.assertEqual(next(tf.io.tf_record_iterator(path, options)), b"first")
            writer.close()
            writer.close()
            with self.assertRaisesRegex(tf.errors.FailedPreconditionError, "previously closed"):
                writer.write(b"late")

    def test_damaged_files_are_errors_with_name_and_offset(self):
        path = self.path("damaged")
        self.write(path)
        file = pathlib.Path(path)
        content = bytearray(file.read_bytes())
        content[-5] ^= 1
        file.write_bytes(content)
        records = tf.io.tf_record_iterator(path)
        self.assertEqual([next(records) for _ in range(3)], RECORDS[:3])
        with self.assertRaisesRegex(tf.errors.DataLossError, f"corrupted record at 65 of '{path}'"):
            next(records)
        file.write_bytes(content[:-10])
        with self.assertRaisesRegex(tf.errors.DataLossError, "truncated record at 65"):
            list(tf.io.tf_record_iterator(path))
        with self.assertRaises(tf.errors.DataLossError):
            list(tf.io.tf_record_iterator(path, "ZLIB"))

    def test_files_and_options_that_there_are_not(self):
        with self.assertRaises(tf.errors.NotFoundError):
            list(tf.io.tf_record_iterator(self.path("none")))
        with self.assertRaises(tf.errors.OpError):
            tf.io.TFRecordWriter(self.get_temp_dir())
        for make in (tf.io.TFRecordOptions, lambda type: tf.io.TFRecordWriter("x", type)):
            with self.assertRaisesRegex(ValueError, 'Not a valid compression_type: "LZW"'):
                make("LZW")
        with self.assertRaisesRegex(ValueError, "compression_method"):
            tf.io.TFRecordOptions("GZIP", compression_method=7)
        with self.assertRaises(tf.errors.InvalidArgumentError):
            self.write(self.path("x"), tf.io.TFRecordOptions("GZIP", compression_level=77))


if __name__ == "__main__":
    tf.test.main()
