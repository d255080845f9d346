"""Values that a step may have or not."""

import unittest

import numpy as np

import troupe as tf
from troupe.data import Dataset
from troupe.data.experimental import Optional, get_next_as_optional


class OptionalTest(tf.test.TestCase):
    def run_all(self, *fetches):
        with tf.Session() as session:
            return session.run(list(fetches))

    def test_an_optional_has_a_value_of_any_structure(self):
        sparse = tf.SparseTensorValue(np.array([[0, 0]]), np.array([1.5]), np.array([2, 2]))
        value = {"a": 37.0, "b": (["Foo"], sparse)}
        optional = Optional.from_value(value)
        self.assertEqual(
            optional.value_structure,
            {
                "a": tf.TensorSpec([], tf.float32),
                "b": (tf.TensorSpec([1], tf.string), tf.SparseTensorSpec([2, 2], tf.float64)),
            },
        )
        has, found = self.run_all(optional.has_value(), optional.get_value())
        self.assertTrue(has)
        self.assertEqual((found["a"], found["b"][0].tolist()), (37.0, [b"Foo"]))
        self.assertAllEqual(found["b"][1].values, [1.5])

    def test_an_optional_without_a_value_has_the_structure_of_one(self):
        spec = tf.TensorSpec([], tf.float32)
        optional = Optional.none_from_structure(spec)
        self.assertTrue(optional.value_structure.is_compatible_with(spec))
        self.assertFalse(optional.value_structure.is_compatible_with(tf.TensorSpec([1])))
        self.assertEqual(self.run_all(optional.has_value()), [False])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "does not have a value"):
            self.run_all(optional.get_value())
        sparse = Optional.none_from_structure(tf.SparseTensorSpec([None], tf.int32))
        self.assertEqual(sparse.value_structure, tf.SparseTensorSpec([None], tf.int32))
        self.assertIsInstance(sparse.get_value(), tf.SparseTensor)
        with self.assertRaisesRegex(TypeError, "expected a tf.TensorSpec"):
            Optional.none_from_structure(tf.float32)
        with self.assertRaises(TypeError):
            Optional()

    def test_the_next_element_is_none_at_the_end(self):
        pairs = Dataset.zip((Dataset.range(2), Dataset.from_tensors(np.eye(2)).repeat()))
        iterator = pairs.make_initializable_iterator()
        following = get_next_as_optional(iterator)
        self.assertIsInstance(following, Optional)
        self.assertEqual(following.value_structure, iterator.element_spec)
        has, value = following.has_value(), following.get_value()
        with tf.Session() as session:
            with self.assertRaises(tf.errors.FailedPreconditionError):
                session.run(has)
            session.run(iterator.initializer)
            for number in range(2):
                there, (found, matrix) = session.run([has, value])
                self.assertEqual((there, found), (True, number))
                self.assertAllEqual(matrix, np.eye(2))
            for _ in range(2):
                self.assertFalse(session.run(has))
            with self.assertRaises(tf.errors.InvalidArgumentError):
                session.run(value)

    def test_a_branch_takes_the_value_only_where_there_is_one(self):
        following = get_next_as_optional(Dataset.range(5, 7).make_one_shot_iterator())
        either = tf.cond(
            following.has_value(), following.get_value, lambda: tf.constant(-1, tf.int64)
        )
        with tf.Session() as session:
            self.assertEqual([session.run(either) for _ in range(3)], [5, 6, -1])

    def test_branches_and_loops_carry_optionals_and_datasets(self):
        structure = tf.TensorSpec([], tf.int32)

        def half(optional, numbers, count):
            x = optional.get_value()
            kept = tf.cond(
                tf.equal(x % 2, 0),
                lambda: Optional.from_value(x // 2),
                lambda: Optional.none_from_structure(structure),
            )
            return kept, numbers.skip(1), count + 1

        last, numbers, count = tf.while_loop(
            lambda optional, numbers, count: optional.has_value(),
            half,
            (Optional.from_value(tf.constant(12)), Dataset.range(5), tf.constant(0)),
        )
        self.assertIsInstance(last, Optional)
        rest = tf.data.experimental.get_single_element(numbers.batch(9))
        found = self.run_all(last.has_value(), rest, count)
        self.assertEqual((found[0], found[1].tolist(), found[2]), (False, [3, 4], 3))

    def test_branches_and_loops_give_one_kind_of_variants(self):
        kinds = (lambda: Optional.from_value(1), lambda: Dataset.range(1))
        with self.assertRaisesRegex(ValueError, "must have the same type"):
            tf.cond(tf.constant(True), *kinds)
        with self.assertRaisesRegex(ValueError, "must have the same type"):
            tf.while_loop(
                lambda optional: True, lambda optional: Optional.from_value(1.0), [kinds[0]()]
            )

    def test_optionals_are_components_of_datasets_and_of_each_other(self):
        def positive(x):
            return tf.cond(
                x > 0,
                lambda: Optional.from_value(x)._variant_tensor,
                lambda: Optional.none_from_structure(spec)._variant_tensor,
            )

        spec = tf.TensorSpec([], tf.int64)
        structure = tf.OptionalSpec(spec)
        dataset = Dataset.range(-1, 3).map(
            lambda x: (x, Optional.from_value((x, Optional.from_value(2 * x))))
        )
        self.assertEqual(dataset.element_spec[1], tf.OptionalSpec((spec, structure)))
        doubled = dataset.map(lambda x, pair: pair.get_value()[1].get_value())
        following = doubled.make_one_shot_iterator().get_next()
        with tf.Session() as session:
            self.assertEqual([session.run(following) for _ in range(4)], [-2, 0, 2, 4])
        inner = Dataset.from_tensors(Optional.none_from_structure(spec))
        (has,) = self.run_all(inner.make_one_shot_iterator().get_next().has_value())
        self.assertFalse(has)
        with self.assertRaisesRegex(TypeError, "Batching of elements"):
            inner.batch(2)
        with tf.Session() as session:
            for x in (-1, 1):
                optional = structure._of_variant(positive(tf.constant(x, tf.int64)))
                self.assertEqual(session.run(optional.has_value()), x > 0)

    def test_an_optional_may_hold_a_dataset(self):
        optional = Optional.from_value(Dataset.range(3))
        self.assertIs(optional.value_structure.value_type, Dataset)
        batch = tf.data.experimental.get_single_element(optional.get_value().batch(5))
        self.assertAllEqual(self.run_all(batch)[0], [0, 1, 2])

    def test_optionals_are_added_and_differentiated(self):
        one, two = Optional.from_value((1.0, 2.0)), Optional.from_value((3.0, 4.0))
        spec = tf.OptionalSpec.from_value(one)
        self.assertIs(spec.value_type, Optional)
        self.assertTrue(spec.is_compatible_with(two))
        self.assertFalse(spec.is_compatible_with(tf.TensorSpec([])))
        total = spec._of_variant(tf.add_n([one._variant_tensor, two._variant_tensor]))
        zeros = spec._of_variant(tf.zeros_like(one._variant_tensor))
        self.assertEqual(self.run_all(total.get_value(), zeros.get_value()), [(4, 6), (0, 0)])
        x = tf.constant([2.0, 3.0])
        first, second = Optional.from_value((x, 5 * x)).get_value()
        (gradient,) = tf.gradients(first * first + second, x)
        self.assertAllEqual(self.run_all(gradient)[0], [9, 11])


if __name__ == "__main__":
    unittest.main()
