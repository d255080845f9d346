"""Ragged tensors as components of datasets, as in TensorFlow 1.15.5."""

import unittest

import troupe as tf

Dataset = tf.data.Dataset
ROWS = [[[1, 2], [3]], [[4]], [], [[5], [6, 7]]]
PLAIN = [[1, 2], [3], [], [4, 5, 6]]


class RaggedComponentsTest(tf.test.TestCase):
    def elements_of(self, dataset):
        iterator = tf.data.make_initializable_iterator(dataset)
        element, found = iterator.get_next(), []
        with self.session() as session:
            session.run(iterator.initializer)
            while True:
                try:
                    found.append(session.run(element))
                except tf.errors.OutOfRangeError:
                    return found

    def lists_of(self, dataset):
        return [each.to_list() for each in self.elements_of(dataset)]

    def test_one_is_the_element_of_from_tensors(self):
        dataset = Dataset.from_tensors(tf.ragged.constant(PLAIN))
        spec = tf.RaggedTensorSpec([4, None], tf.int32, 1)
        self.assertEqual(tf.data.experimental.get_structure(dataset), spec)
        older = tf.data.experimental.RaggedTensorStructure(tf.int32, [4, None], 1)
        self.assertEqual(older, spec)
        self.assertEqual(dataset.output_types, tf.int32)
        self.assertEqual(dataset.output_shapes.as_list(), [4, None])
        self.assertEqual(self.lists_of(dataset), [PLAIN])
        self.assertEqual(self.lists_of(dataset.concatenate(dataset).cache()), [PLAIN] * 2)

    def test_rows_are_slices(self):
        rows = tf.ragged.constant(ROWS)
        found = self.elements_of(Dataset.from_tensor_slices({"a": rows, "b": tf.range(4)}))
        self.assertEqual([each["a"].to_list() for each in found], ROWS)
        self.assertEqual([each["b"] for each in found], [0, 1, 2, 3])
        self.assertEqual(self.lists_of(Dataset.from_tensors(rows).unbatch()), ROWS)

    def test_functions_take_and_return_them(self):
        rows = Dataset.from_tensor_slices(tf.ragged.constant(ROWS))
        sums = rows.map(lambda row: tf.reduce_sum(row, axis=1))
        self.assertEqual([each.tolist() for each in self.elements_of(sums)],
                         [[3, 3], [4], [], [5, 13]])
        made = Dataset.range(2).map(
            lambda i: tf.RaggedTensor.from_row_lengths(tf.range(3), tf.stack([i, 3 - i]))
        )
        self.assertEqual(self.lists_of(made), [[[], [0, 1, 2]], [[0], [1, 2]]])
        kept = rows.filter(lambda row: tf.equal(row.nrows(), 2))
        self.assertEqual(self.lists_of(kept), [ROWS[0], ROWS[3]])

    def test_batches_have_one_more_ragged_axis(self):
        batches = Dataset.from_tensor_slices(tf.ragged.constant(ROWS)).batch(2)
        spec = tf.RaggedTensorSpec([None, None, None], tf.int32, 2)
        self.assertEqual(tf.data.experimental.get_structure(batches), spec)
        self.assertEqual(self.lists_of(batches), [ROWS[:2], ROWS[2:]])
        self.assertEqual(self.lists_of(batches.unbatch()), ROWS)
        twice = Dataset.from_tensors(tf.ragged.constant(PLAIN)).repeat(2).batch(2)
        self.assertEqual(self.lists_of(twice), [[PLAIN, PLAIN]])

    def test_an_iterator_is_made_of_their_structure(self):
        dataset = Dataset.from_tensor_slices(tf.ragged.constant(ROWS))
        iterator = tf.data.Iterator.from_structure(
            dataset.output_types, dataset.output_shapes,
            output_classes=dataset.output_classes,
        )
        element, start = iterator.get_next(), iterator.make_initializer(dataset)
        with self.session() as session:
            session.run(start)
            self.assertEqual(session.run(element).to_list(), ROWS[0])

    def test_slices_without_a_ragged_axis_and_padding_are_errors(self):
        slices = Dataset.from_tensor_slices(tf.ragged.constant(PLAIN))
        with self.assertRaisesRegex(ValueError, "ragged_rank must be"):
            tf.data.make_one_shot_iterator(slices).get_next()
        with self.assertRaisesRegex(TypeError, "padded ragged tensors"):
            slices.padded_batch(2, [None])


if __name__ == "__main__":
    unittest.main()
