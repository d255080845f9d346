"""Specifications of what elements of datasets are made of."""

import unittest

import numpy as np

import troupe as tf
from troupe.data import Dataset, DatasetSpec, experimental


class SpecsTest(tf.test.TestCase):
    def test_the_structure_of_an_element_has_a_specification_for_each_component(self):
        sparse = tf.SparseTensor([[0, 0]], [1.0], [2, 3])
        pair = (sparse, Dataset.range(2))
        dataset = Dataset.from_tensors({"a": np.zeros([2], np.int32), "s": pair})
        numbers = DatasetSpec(tf.TensorSpec([], tf.int64))
        expected = {
            "a": tf.TensorSpec([2], tf.int32),
            "s": (tf.SparseTensorSpec([2, 3], tf.float32), numbers),
        }
        self.assertEqual(dataset.element_spec, expected)
        self.assertEqual(experimental.get_structure(dataset), expected)
        iterator = dataset.make_one_shot_iterator()
        self.assertEqual(experimental.get_structure(iterator), expected)
        with self.assertRaisesRegex(TypeError, "must be a Dataset or an Iterator"):
            experimental.get_structure(1)

    def test_a_specification_is_compatible_with_values_and_others_of_its_kind(self):
        vector = tf.TensorSpec([None], tf.float32)
        self.assertTrue(vector.is_compatible_with(tf.TensorSpec([2], tf.float32)))
        self.assertTrue(vector.is_compatible_with(tf.constant([1.0])))
        self.assertFalse(vector.is_compatible_with(tf.TensorSpec([], tf.float32)))
        self.assertFalse(vector.is_compatible_with(tf.TensorSpec([2], tf.int32)))
        sparse = tf.SparseTensorSpec([None], tf.float32)
        self.assertFalse(vector.is_compatible_with(sparse))
        self.assertFalse(vector.is_compatible_with(tf.SparseTensor([[0]], [1.0], [1])))
        self.assertFalse(sparse.is_compatible_with(vector))
        self.assertTrue(sparse.is_compatible_with(tf.SparseTensor([[0]], [1.0], [1])))
        value = tf.SparseTensorValue([[0]], np.float32([1]), [1])
        self.assertTrue(sparse.is_compatible_with(value))
        self.assertFalse(sparse.is_compatible_with(tf.SparseTensorSpec([1, 1], tf.float32)))
        datasets = DatasetSpec({"x": vector})
        self.assertTrue(datasets.is_compatible_with(Dataset.from_tensors({"x": [1.0]})))
        self.assertFalse(datasets.is_compatible_with(Dataset.from_tensors([1.0])))
        self.assertFalse(datasets.is_compatible_with(vector))

    def test_what_two_specifications_have_in_common_is_one(self):
        one, two = tf.TensorSpec([2], tf.int32), tf.TensorSpec([3], tf.int32)
        both = DatasetSpec((one, one)).most_specific_compatible_type(DatasetSpec((one, two)))
        self.assertEqual(both, DatasetSpec((one, tf.TensorSpec([None], tf.int32))))
        sparse = tf.SparseTensorSpec([2], tf.int32)
        self.assertEqual(
            sparse.most_specific_compatible_type(tf.SparseTensorSpec([1], tf.int32)),
            tf.SparseTensorSpec([None], tf.int32),
        )
        for other in (sparse, tf.TensorSpec([2], tf.float32), DatasetSpec(one)):
            with self.assertRaisesRegex(ValueError, "No TypeSpec is compatible with both"):
                one.most_specific_compatible_type(other)

    def test_specifications_are_keys_and_name_the_class_of_values(self):
        spec = tf.TensorSpec([2], tf.int32)
        kinds = {
            spec: tf.Tensor,
            tf.SparseTensorSpec([2], tf.int32): tf.SparseTensor,
            DatasetSpec(spec): Dataset,
        }
        for kind, value_type in kinds.items():
            self.assertIsInstance(kind, tf.TypeSpec)
            self.assertIs(kind.value_type, value_type)
        self.assertIs(kinds[DatasetSpec(tf.TensorSpec([2], tf.int32))], Dataset)
        self.assertNotEqual(DatasetSpec(spec), DatasetSpec((spec,)))
        self.assertEqual(experimental.TensorStructure(tf.int32, [2]), spec)
        self.assertEqual(
            experimental.SparseTensorStructure(tf.int32, [2]), tf.SparseTensorSpec([2], tf.int32)
        )
        self.assertIs(experimental.DatasetStructure, DatasetSpec)

    def test_a_structure_has_specifications_only(self):
        with self.assertRaisesRegex(TypeError, "expected a tf.TensorSpec"):
            DatasetSpec(tf.int32)
        with self.assertRaisesRegex(ValueError, "not datasets of shape"):
            DatasetSpec(tf.TensorSpec([], tf.int32), [2])

    def test_shapes_of_states_are_those_that_all_states_have(self):
        numbers = tf.data.Dataset.range(4)
        scan = tf.data.experimental.scan
        sums = numbers.apply(scan(tf.constant(1, tf.int64), lambda s, x: (s + x, (s, x))))
        self.assertEqual(str(tf.data.get_output_shapes(sums)), "(TensorShape([]), TensorShape([]))")

        def longer(state, x):
            vector, any_rank = state
            next_state = (tf.concat([vector, vector], 0), tf.expand_dims(any_rank, 0))
            return next_state, (state, x)

        grown = numbers.apply(scan(([0], 1), longer))
        (vector, any_rank), element = tf.data.get_output_shapes(grown)
        self.assertEqual([vector.as_list(), any_rank.rank, element.as_list()], [[None], None, []])
        total = numbers.reduce(tf.zeros([2], tf.int64), lambda s, x: s + x)
        self.assertEqual(total.shape.as_list(), [2])
        following = tf.data.make_one_shot_iterator(grown).get_next()
        with tf.Session() as session:
            for i in range(4):
                (vector, any_rank), element = session.run(following)
                self.assertEqual((len(vector), any_rank.ndim, element), (2**i, i, i))
            self.assertEqual(session.run(total).tolist(), [6, 6])


if __name__ == "__main__":
    unittest.main()
