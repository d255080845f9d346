"""Datasets of ops that graphs of TensorFlow have, and the module does not make."""

import os
import tempfile
import unittest

import numpy as np

import troupe as tf
from troupe._src.functions.defun import Defun

NUMBERS = {"output_types": [tf.int64], "output_shapes": [[]]}
BATCHES = {"output_types": [tf.int64], "output_shapes": [[None]]}


def count(n):
    return tf.raw_ops.RangeDataset(start=np.int64(0), stop=np.int64(n), step=np.int64(1), **NUMBERS)


def op(name):
    return getattr(tf.raw_ops, name)


def int64(value):
    return tf.constant(value, tf.int64)


def elements(dataset, output_types, output_shapes, most=100):
    """At most so many elements, or the class of the error that ends them."""
    handle = tf.raw_ops.IteratorV2(
        shared_name="", container="", output_types=output_types, output_shapes=output_shapes
    )
    begin = tf.raw_ops.MakeIterator(dataset=dataset, iterator=handle)
    following = tf.raw_ops.IteratorGetNext(
        iterator=handle, output_types=output_types, output_shapes=output_shapes
    )
    found = []
    with tf.Session() as session:
        session.run(begin)
        while len(found) < most:
            try:
                found.append(session.run(following))
            except tf.errors.OutOfRangeError:
                break
    return found


def numbers(dataset, most=100):
    return [int(element[0]) for element in elements(dataset, **NUMBERS, most=most)]


def batches(dataset):
    return [element[0].tolist() for element in elements(dataset, **BATCHES)]


class OlderDatasetsTest(tf.test.TestCase):
    def test_shuffled_and_repeated_elements_are_those_of_tensorflow(self):
        def shuffled(n, size, times):
            return op("ShuffleAndRepeatDataset")(
                input_dataset=count(n), buffer_size=int64(size), seed=int64(5), seed2=int64(6),
                count=int64(times), **NUMBERS,
            )  # fmt: skip

        expected = [0, 2, 3, 5, 1, 6, 4, 1, 0, 3, 4, 5, 6, 2]
        self.assertEqual(numbers(shuffled(7, 3, 2)), expected)
        self.assertEqual(numbers(shuffled(6, 1, -1), 8), [0, 1, 2, 3, 4, 5, 0, 1])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "greater than zero"):
            numbers(shuffled(6, 1, 0))

    def test_samples_are_taken_with_a_probability(self):
        def sampled(rate):
            return numbers(
                op("SamplingDataset")(
                    input_dataset=count(50), rate=rate, seed=int64(5), seed2=int64(6), **NUMBERS
                )
            )

        self.assertEqual(sampled(0.0), [])
        self.assertEqual(sampled(1.0), list(range(50)))
        some = sampled(0.4)
        self.assertTrue(5 < len(some) < 40)
        self.assertEqual(some, sorted(some))

    def test_sliding_windows_are_full_batches(self):
        for name in ("SlidingWindowDataset", "ExperimentalSlidingWindowDataset"):
            windows = op(name)(
                input_dataset=count(10), window_size=int64(3), window_shift=int64(2),
                window_stride=int64(2), **BATCHES,
            )  # fmt: skip
            self.assertEqual(batches(windows), [[0, 2, 4], [2, 4, 6], [4, 6, 8]])

    def test_batches_are_taken_apart_again(self):
        for name in ("UnbatchDataset", "ExperimentalUnbatchDataset"):
            pairs = tf.raw_ops.TensorSliceDataset(
                components=[np.int64([[1, 2], [3, 4]]), np.float32([[5, 6], [7, 8]])],
                output_shapes=[[2], [2]],
            )
            spec = {"output_types": [tf.int64, tf.float32], "output_shapes": [[], []]}
            rows = op(name)(input_dataset=pairs, **spec)
            found = [(int(a), float(b)) for a, b in elements(rows, **spec)]
            self.assertEqual(found, [(1, 5), (2, 6), (3, 7), (4, 8)])
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "non-scalar"):
                numbers(op(name)(input_dataset=count(2), **NUMBERS))

    def test_rows_of_a_sparse_tensor(self):
        rows = op("SparseTensorSliceDataset")(
            indices=np.int64([[1, 0], [1, 1], [3, 0]]), values=["a", "b", "c"],
            dense_shape=np.int64([4, 2]),
        )  # fmt: skip
        spec = {
            "output_types": [tf.int64, tf.string, tf.int64],
            "output_shapes": [[None, 1], [None], [1]],
        }  # fmt: skip
        found = [(i.tolist(), v.tolist(), s.tolist()) for i, v, s in elements(rows, **spec)]
        self.assertEqual(found[0], ([], [], [2]))
        self.assertEqual(found[1], ([[0], [1]], [b"a", b"b"], [2]))
        self.assertEqual(found[3], ([[0]], [b"c"], [2]))
        with self.assertRaisesRegex(tf.errors.UnimplementedError, "ordered"):
            elements(
                op("SparseTensorSliceDataset")(
                    indices=np.int64([[1, 0], [0, 0]]), values=["a", "b"],
                    dense_shape=np.int64([4, 2]),
                ), **spec,
            )  # fmt: skip

    def test_a_failed_call_fails_its_batch_alone(self):
        @Defun(tf.int64)
        def but_four(x):
            with tf.control_dependencies([tf.assert_none_equal(x, np.int64(4))]):
                return x * x

        for name in ("MapAndBatchDataset", "ExperimentalMapAndBatchDataset"):
            squares = op(name)(
                input_dataset=count(8), other_arguments=[], batch_size=int64(3),
                num_parallel_calls=int64(2), drop_remainder=False, f=but_four, **BATCHES,
            )  # fmt: skip
            iterator = tf.raw_ops.IteratorV2(shared_name="", container="", **BATCHES)
            begin = tf.raw_ops.MakeIterator(dataset=squares, iterator=iterator)
            following = tf.raw_ops.IteratorGetNext(iterator=iterator, **BATCHES)
            with tf.Session() as session:
                session.run(begin)
                self.assertAllEqual(session.run(following), [[0, 1, 4]])
                with self.assertRaises(tf.errors.InvalidArgumentError):
                    session.run(following)
                self.assertAllEqual(session.run(following), [[36, 49]])
                with self.assertRaises(tf.errors.OutOfRangeError):
                    session.run(following)

    def test_a_function_of_slices_gives_them_stacked(self):
        @Defun(tf.float32, tf.float32)
        def scaled(x, factor):
            return x * factor, tf.reduce_sum(x)

        def mapped(rows, shapes):
            results = op("MapDefun")(
                arguments=[rows], captured_inputs=[3.0], f=scaled,
                output_types=[tf.float32, tf.float32], output_shapes=shapes,
            )  # fmt: skip
            with tf.Session() as session:
                return session.run(results)

        rows = np.float32([[1, 2], [3, 4], [5, 6]])
        products, sums = mapped(rows, [[2], []])
        self.assertAllEqual(products, rows * 3)
        self.assertAllEqual(sums, [3, 7, 11])
        self.assertEqual([each.shape for each in mapped(rows[:0], [[2], []])], [(0, 2), (0,)])
        with self.assertRaises(tf.errors.InvalidArgumentError):
            mapped(rows, [[3], []])

    def test_datasets_that_say_how_elements_are_made_change_none(self):
        inputs = {
            "ModelDataset": {},
            "NonSerializableDataset": {},
            "ExperimentalNonSerializableDataset": {},
            "AssertNextDataset": {"transformations": ["Range"]},
            "ExperimentalAssertNextDataset": {"transformations": ["Range"]},
            "MaxIntraOpParallelismDataset": {"max_intra_op_parallelism": int64(2)},
            "ExperimentalMaxIntraOpParallelismDataset": {"max_intra_op_parallelism": int64(2)},
            "PrivateThreadPoolDataset": {"num_threads": int64(2)},
            "ExperimentalPrivateThreadPoolDataset": {"num_threads": int64(2)},
            "LatencyStatsDataset": {"tag": "a"},
            "ExperimentalLatencyStatsDataset": {"tag": "a"},
            "BytesProducedStatsDataset": {"tag": "a"},
            "ExperimentalBytesProducedStatsDataset": {"tag": "a"},
        }
        for name, more in inputs.items():
            same = op(name)(input_dataset=count(3), **more, **NUMBERS)
            self.assertEqual(numbers(same), [0, 1, 2])
        for name in ("ChooseFastestDataset", "ExperimentalChooseFastestDataset"):
            fastest = op(name)(input_datasets=[count(3), count(3)], num_experiments=1, **NUMBERS)
            self.assertEqual(numbers(fastest), [0, 1, 2])
        pool = op("PrivateThreadPoolDataset")
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, ">= 0"):
            numbers(pool(input_dataset=count(3), num_threads=int64(-1), **NUMBERS))
        next_number = Defun(tf.int64)(lambda x: x + 1)
        mapped = op("ExperimentalMapDataset")(
            input_dataset=count(3), other_arguments=[], f=next_number, **NUMBERS
        )
        self.assertEqual(numbers(mapped), [1, 2, 3])

    def test_paths_that_match_come_in_order(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("b2", "a1", "a10"):
                open(os.path.join(folder, name), "w").close()
            for name in ("MatchingFilesDataset", "ExperimentalMatchingFilesDataset"):
                paths = op(name)(patterns=[f"{folder}/b*", f"{folder}/a*"])
                found = elements(paths, [tf.string], [[]])
                names = [os.path.basename(path[0].decode()) for path in found]
                self.assertEqual(names, ["b2", "a1", "a10"])
            with self.assertRaises(tf.errors.NotFoundError):
                elements(op(name)(patterns=f"{folder}/z*"), [tf.string], [[]])


if __name__ == "__main__":
    unittest.main()
