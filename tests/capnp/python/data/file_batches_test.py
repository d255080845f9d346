"""Batches of files of comma-separated values and of examples; the cardinality of datasets."""

import gzip
import os
import tempfile
import unittest
import zlib

import numpy as np
import troupe as tf


def elements(dataset):
    found = []
    with tf.Session() as session:
        following = dataset.make_one_shot_iterator().get_next()
        while True:
            try:
                found.append(session.run(following))
            except tf.errors.OutOfRangeError:
                return found


class FileBatchesTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        opened = gzip.open if name.endswith(".gz") else open
        with opened(path, "wt") as file:
            file.write(text)
        return path

    def test_columns_of_csv_files_have_names_and_types(self):
        self.write("a.csv", 'n,x,name,big\n1,0.5,"a,b",\n,NA,c,5000000000\n')
        self.write("b.csv", "n,x,name,big\n3,2,d,1\n")
        dataset = tf.data.experimental.make_csv_dataset(
            os.path.join(self.folder, "*.csv"),
            2,
            label_name="n",
            na_value="NA",
            num_epochs=1,
            shuffle=False,
        )
        self.assertEqual(list(dataset.output_types[0]), ["x", "name", "big"])
        (first, labels), (last, _) = elements(dataset)
        np.testing.assert_array_equal(labels, [1, 0])
        np.testing.assert_array_equal(first["x"], np.array([0.5, 0.0], np.float32))
        self.assertEqual(first["x"].dtype, np.float32)
        self.assertEqual(first["name"].tolist(), [b"a,b", b"c"])
        self.assertEqual((first["big"].dtype, first["big"][1]), (np.int64, 5000000000))
        self.assertEqual(last["name"].tolist(), [b"d"])

    def test_the_dtypes_of_a_compressed_file_are_told_by_its_last_record(self):
        rows = [f'{row},"two\nlines é"\r\n' for row in range(20000)]
        path = os.path.join(self.folder, "a.z")
        with open(path, "wb") as file:
            file.write(zlib.compress(("n,text\r\n" + "".join(rows) + "0.5,end").encode()))
        dataset = tf.data.experimental.make_csv_dataset(
            path, 20001, num_epochs=1, shuffle=False, num_rows_for_inference=None,
            compression_type="ZLIB",
        )  # fmt: skip
        self.assertIs(dataset.output_types["n"], tf.float32)
        self.assertIs(dataset.output_types["text"], tf.string)

    def test_columns_of_csv_files_are_selected(self):
        path = self.write("a.csv.gz", "1,2.5,x\n3,4.5,y\n")
        dataset = tf.data.experimental.make_csv_dataset(
            [path],
            1,
            column_names=["a", "b", "c"],
            column_defaults=[tf.float64, tf.string],
            select_columns=["c", 1],
            header=False,
            num_epochs=2,
            shuffle_seed=3,
            compression_type="GZIP",
        )
        found = elements(dataset)
        self.assertEqual(sorted(each["b"][0] for each in found), [2.5, 2.5, 4.5, 4.5])
        self.assertEqual({each["c"][0] for each in found}, {b"x", b"y"})

    def test_what_csv_files_do_not_have_is_refused(self):
        path = self.write("a.csv", "a,b\n1,2\n")
        make = tf.data.experimental.make_csv_dataset
        for text, arguments in (
            ("No files match", {"file_pattern": path + "x"}),
            ("pattern is empty", {"file_pattern": []}),
            ("without a header", {"header": False}),
            ("duplicate column names", {"column_names": ["a", "a"]}),
            ("out of valid range", {"select_columns": [2]}),
            ("not a valid column", {"select_columns": ["c"]}),
            ("duplicate columns", {"select_columns": ["a", 0]}),
            ("must be one of the columns", {"label_name": "c"}),
            ("same length", {"select_columns": ["a"], "column_defaults": [1, 2]}),
            ("different number of fields", {"column_names": ["a", "b", "c"]}),
            ("is not supported", {"compression_type": "LZ4"}),
        ):
            with self.assertRaisesRegex(ValueError, text):
                make(**{"file_pattern": path, "batch_size": 1, **arguments})

    def write_examples(self, count):
        path = os.path.join(self.folder, "examples")
        with tf.python_io.TFRecordWriter(path) as writer:
            for number in range(count):
                age = tf.train.Feature(int64_list=tf.train.Int64List(value=[number]))
                words = tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"w"] * number))
                features = tf.train.Features(feature={"age": age, "words": words})
                writer.write(tf.train.Example(features=features).SerializeToString())
        return path

    def test_features_of_examples_are_batched(self):
        features = {
            "age": tf.FixedLenFeature([], tf.int64),
            "words": tf.VarLenFeature(tf.string),
        }
        make = tf.data.experimental.make_batched_features_dataset
        path = self.write_examples(3)
        dataset = make(path, 2, features, label_key="age", num_epochs=1, shuffle=False)
        (first, labels), (last, _) = elements(dataset)
        self.assertEqual(labels.tolist(), [0, 1])
        self.assertEqual(first["words"].dense_shape.tolist(), [2, 1])
        self.assertEqual(last["words"].values.tolist(), [b"w", b"w"])
        dropped = make(path, 2, features, num_epochs=1, drop_final_batch=True)
        self.assertEqual(len(elements(dropped)), 1)
        with self.assertRaises(ValueError):
            make(path, 2, features, label_key="height")
        with self.assertRaises(TypeError):
            make(path, 2, features, reader=tf.TFRecordReader)

    def test_slices_of_a_sparse_tensor_are_three_tensors(self):
        sparse = tf.SparseTensor([[0, 1], [2, 0], [2, 2]], [1.0, 2.0, 3.0], [3, 4])
        rows = elements(tf.data.Dataset.from_sparse_tensor_slices(sparse))
        self.assertEqual([indices.tolist() for indices, _, _ in rows], [[[1]], [], [[0], [2]]])
        self.assertEqual([values.tolist() for _, values, _ in rows], [[1.0], [], [2.0, 3.0]])
        self.assertEqual(rows[0][2].tolist(), [4])
        with self.assertRaises(TypeError):
            tf.data.Dataset.from_sparse_tensor_slices([1, 2])

    def test_the_cardinality_of_datasets(self):
        dataset, endless, unknown = tf.data.Dataset, -1, -2
        numbers = dataset.range
        self.assertEqual(tf.data.experimental.INFINITE_CARDINALITY, endless)
        self.assertEqual(tf.data.experimental.UNKNOWN_CARDINALITY, unknown)
        cases = [
            (numbers(5), 5),
            (numbers(2, 9, 3), 3),
            (numbers(9, 2, -2), 4),
            (numbers(3, 3), 0),
            (dataset.from_tensors([1, 2]), 1),
            (dataset.from_tensor_slices(np.zeros([4, 2])), 4),
            (numbers(5).repeat(), endless),
            (numbers(0).repeat(), 0),
            (numbers(5).repeat(3), 15),
            (numbers(5).repeat(0), 0),
            (numbers(5).filter(lambda x: x > 2), unknown),
            (numbers(5).filter(lambda x: x > 2).repeat(), endless),
            (numbers(5).batch(2), 3),
            (numbers(5).batch(2, drop_remainder=True), 2),
            (numbers(5).repeat().batch(2), endless),
            (numbers(5).padded_batch(2, []), 3),
            (numbers(5).padded_batch(2, [], drop_remainder=True), 2),
            (numbers(5).take(2), 2),
            (numbers(5).take(7), 5),
            (numbers(5).take(-1), 5),
            (numbers(5).take(0), 0),
            (numbers(5).repeat().take(0), 0),
            (numbers(0).batch(2), 0),
            (numbers(5).skip(0), 5),
            (dataset.zip((numbers(0), numbers(3))), 0),
            (dataset.zip((numbers(3), numbers(0))), 0),
            (dataset.zip((numbers(0), numbers(3), numbers(2))), 0),
            (numbers(5).repeat().take(7), 7),
            (numbers(5).skip(2), 3),
            (numbers(5).skip(-1), 0),
            (numbers(5).shard(3, 1), 2),
            (numbers(5).shard(3, 2), 1),
            (numbers(5).map(lambda x: x).shuffle(3).prefetch(1).cache(), 5),
            (numbers(5).map(lambda x: x, num_parallel_calls=2), 5),
            (dataset.zip((numbers(5), numbers(3))), 3),
            (dataset.zip((numbers(5).repeat(), numbers(3))), 3),
            (dataset.zip((numbers(5).repeat(), numbers(3).repeat())), endless),
            (dataset.zip((numbers(5), numbers(3).filter(lambda x: x > 2))), unknown),
            (numbers(5).concatenate(numbers(3)), 8),
            (numbers(5).concatenate(numbers(3).repeat()), endless),
            (numbers(5).concatenate(numbers(3).filter(lambda x: x > 2)), unknown),
            (numbers(5).flat_map(dataset.from_tensors), unknown),
        ]
        with tf.Session() as session:
            counts = [tf.data.experimental.cardinality(each) for each, _ in cases]
            self.assertEqual(session.run(counts), [expected for _, expected in cases])


if __name__ == "__main__":
    unittest.main()
