"""Datasets of what is in files."""

import gzip
import os
import pathlib
import tempfile
import unittest

from dataset_test import elements

import troupe as tf


class FilesTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return str(path)

    def test_lines_of_files(self):
        paths = [self.write("a", b"one\ntwo\n"), self.write("b", b"three")]
        self.assertEqual(elements(tf.data.TextLineDataset(paths)), [b"one", b"two", b"three"])
        zipped = self.write("c.gz", gzip.compress(b"x\ny"))
        dataset = tf.data.TextLineDataset(zipped, compression_type="GZIP")
        self.assertEqual(elements(dataset), [b"x", b"y"])
        self.assertEqual([dataset.output_types, dataset.output_shapes.as_list()], [tf.string, []])

    def test_names_may_be_a_dataset_and_files_be_read_in_turns(self):
        paths = [self.write("a", b"1\n2\n"), self.write("b", b"3\n4\n")]
        names = tf.data.Dataset.from_tensor_slices(paths)
        self.assertEqual(elements(tf.data.TextLineDataset(names)), [b"1", b"2", b"3", b"4"])
        turns = tf.data.TextLineDataset(paths, num_parallel_reads=2)
        self.assertEqual(elements(turns), [b"1", b"3", b"2", b"4"])
        with self.assertRaises(TypeError):
            tf.data.TextLineDataset(tf.data.Dataset.range(2))

    def test_records_of_one_length(self):
        path = self.write("fixed", b"HHaabbF")
        dataset = tf.data.FixedLengthRecordDataset(path, 2, header_bytes=2, footer_bytes=1)
        self.assertEqual(elements(dataset), [b"aa", b"bb"])

    def test_a_file_that_is_no_record_file_is_data_loss(self):
        dataset = tf.data.TFRecordDataset(self.write("bad", b"this is no record file"))
        with self.assertRaises(tf.errors.DataLossError):
            elements(dataset)
        with self.assertRaises(tf.errors.NotFoundError):
            elements(tf.data.TFRecordDataset(os.path.join(self.folder, "none")))

    def test_files_are_found_by_their_names(self):
        paths = [self.write(name, b"") for name in ("a.txt", "b.txt", "c.dat")]
        pattern = str(self.folder / "*.txt")
        found = elements(tf.data.Dataset.list_files(pattern, shuffle=False))
        self.assertEqual(found, [path.encode() for path in paths[:2]])
        self.assertEqual(sorted(elements(tf.data.Dataset.list_files(pattern))), found)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "No files matched pattern"):
            elements(tf.data.Dataset.list_files(str(self.folder / "none*")))

    def test_names_of_files_may_be_given_by_a_one_shot_iterator(self):
        paths = [self.write(name, b"") for name in ("a.txt", "b.txt")]
        dataset = tf.data.Dataset.list_files(str(self.folder / "*"), shuffle=False)
        following = dataset.make_one_shot_iterator().get_next()
        with tf.Session() as session:
            found = [session.run(following) for _ in paths]
        self.assertEqual(found, [path.encode() for path in paths])


if __name__ == "__main__":
    unittest.main()
