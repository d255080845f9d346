"""Datasets: what they give, and what of them is known in the graph."""

import collections
import unittest

import numpy as np

import troupe as tf

Dataset = tf.data.Dataset


def elements(dataset, feeds=None):
    """All elements, as an initializable iterator gives them."""
    iterator = dataset.make_initializable_iterator()
    following = iterator.get_next()
    found = []
    with tf.Session() as session:
        session.run(iterator.initializer, feeds)
        while True:
            try:
                found.append(session.run(following))
            except tf.errors.OutOfRangeError as error:
                assert error.message == "End of sequence", error.message
                return found


class SourcesTest(tf.test.TestCase):
    def test_an_element_is_a_structure_of_tensors(self):
        Pair = collections.namedtuple("Pair", ["a", "b"])
        dataset = Dataset.from_tensors({"x": [1, 2], "y": Pair(1.5, "t")})
        self.assertEqual(dataset.output_types, {"x": tf.int32, "y": Pair(tf.float32, tf.string)})
        self.assertEqual(dataset.output_shapes["x"].as_list(), [2])
        (only,) = elements(dataset)
        self.assertAllEqual(only["x"], [1, 2])
        self.assertEqual(only["y"], Pair(1.5, b"t"))
        self.assertEqual(dataset.output_classes["x"], tf.Tensor)

    def test_random_numbers_are_those_of_their_seed(self):
        numbers = tf.data.experimental.RandomDataset(seed=3)
        self.assertEqual(numbers.output_types, tf.int64)
        found = elements(numbers.take(3).repeat(2))
        self.assertEqual(found[:3], found[3:])
        self.assertEqual(len(set(found)), 3)
        other = tf.data.experimental.RandomDataset(seed=4)
        self.assertNotEqual(elements(other.take(3)), found[:3])

    def test_wrong_sources_are_refused(self):
        one = Dataset.range(1)
        for wrong, error, text in [
            (lambda: Dataset.range(), ValueError, "Invalid args"),
            (lambda: Dataset.range(0, 1, 2, 3), ValueError, "Invalid args"),
            (lambda: Dataset.zip([one, one]), TypeError, "do not support Python lists"),
            (lambda: Dataset.zip((one, 3)), TypeError, "nested structure of `Dataset`"),
            (lambda: Dataset.from_sparse_tensor_slices(3), TypeError, "must be a `tf.Sparse"),
            (lambda: Dataset.from_tensor_slices(3), ValueError, "at least 1"),
            (lambda: Dataset.from_tensor_slices(([1], [1, 2])), ValueError, "not compatible"),
        ]:
            with self.subTest(text), self.assertRaisesRegex(error, text):
                wrong()

    def test_slices_may_have_sizes_that_only_the_step_knows(self):
        unknown, row = tf.placeholder(tf.int32), tf.placeholder(tf.int32, [None])
        for x in (unknown, row):
            with self.assertRaisesRegex(ValueError, "3 and 2 are not compatible"):
                Dataset.from_tensor_slices(([1, 2, 3], x, [4, 5]))
            dataset = Dataset.from_tensor_slices((x, [1, 2]))
            self.assertEqual(elements(dataset, {x: [7, 8]}), [(7, 1), (8, 2)])

    def test_slices_lose_the_first_axis(self):
        dataset = Dataset.from_tensor_slices((np.eye(2), ["a", "b"]))
        self.assertEqual(dataset.output_shapes, (tf.TensorShape([2]), tf.TensorShape([])))
        first, second = elements(dataset)
        self.assertAllEqual(first[0], [1, 0])
        self.assertEqual(second[1], b"b")
        with self.assertRaisesRegex(ValueError, "rank at least 1"):
            Dataset.from_tensor_slices(1)
        with self.assertRaisesRegex(ValueError, "Dimensions 2 and 1 are not compatible"):
            Dataset.from_tensor_slices(([1, 2], [1]))

    def test_ranges_are_those_of_python(self):
        for args in ((3,), (1, 4), (5, -2, -3)):
            self.assertEqual(elements(Dataset.range(*args)), list(range(*args)))
        with self.assertRaises(ValueError):
            Dataset.range()

    def test_a_dataset_may_depend_on_what_is_fed(self):
        count = tf.placeholder(tf.int64, [])
        self.assertEqual(elements(Dataset.range(count), {count: 2}), [0, 1])

    def test_a_generator_runs_anew_in_each_iteration(self):
        begun = []

        def generate(first):
            begun.append(int(first))
            for i in range(2):
                yield first + i, ["x"] * i

        dataset = Dataset.from_generator(
            generate, (tf.int32, tf.string), ([], [None]), args=(np.int32(5),)
        )
        self.assertEqual(dataset.output_shapes[1].as_list(), [None])
        found = elements(dataset.repeat(2))
        self.assertEqual([int(number) for number, _ in found], [5, 6, 5, 6])
        self.assertEqual(found[1][1].tolist(), [b"x"])
        self.assertEqual(begun, [5, 5])

    def test_a_generator_must_yield_what_was_declared(self):
        wrong_shape = r"element of shape \(1,\) where an element of shape \(\) was expected"
        for wrong, message in (
            (("b", "a"), "could not be converted to the expected type"),
            ((1,), "did not match the expected structure"),
            (([1], "a"), wrong_shape),
        ):
            dataset = Dataset.from_generator(
                lambda wrong=wrong: iter([wrong]), (tf.int32, tf.string), ([], [])
            )
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, message):
                if elements(dataset):
                    raise AssertionError(f"{wrong} was taken")
        with self.assertRaises(TypeError):
            Dataset.from_generator(1, tf.int32)


class ArrangementTest(tf.test.TestCase):
    def test_parts_and_repetitions(self):
        numbers = Dataset.range(4)
        self.assertEqual(elements(numbers.take(2).repeat(2)), [0, 1, 0, 1])
        self.assertEqual(elements(numbers.skip(3)), [3])
        self.assertEqual(elements(numbers.shard(2, 1)), [1, 3])
        self.assertEqual(elements(numbers.repeat().take(5)), [0, 1, 2, 3, 0])
        self.assertEqual(elements(numbers.concatenate(Dataset.range(1))), [0, 1, 2, 3, 0])
        self.assertEqual(elements(numbers.cache().prefetch(2)), [0, 1, 2, 3])
        with self.assertRaisesRegex(TypeError, "different types"):
            numbers.concatenate(Dataset.from_tensors(1.0))

    def test_zipped_datasets_have_the_structure_they_are_given_in(self):
        dataset = Dataset.zip({"a": Dataset.range(2), "b": (Dataset.range(3), Dataset.range(9))})
        self.assertEqual(elements(dataset), [{"a": i, "b": (i, i)} for i in range(2)])
        with self.assertRaises(TypeError):
            Dataset.zip([Dataset.range(2)])
        self.assertEqual(elements(Dataset.range(2).enumerate(5)), [(5, 0), (6, 1)])

    def test_batches_have_a_known_size_where_the_rest_is_dropped(self):
        batches = Dataset.range(5).batch(2)
        self.assertEqual(batches.output_shapes.as_list(), [None])
        self.assertEqual([batch.tolist() for batch in elements(batches)], [[0, 1], [2, 3], [4]])
        whole = Dataset.range(5).batch(2, drop_remainder=True)
        self.assertEqual(whole.output_shapes.as_list(), [2])
        self.assertEqual(len(elements(whole)), 2)
        self.assertEqual(elements(batches.unbatch()), [0, 1, 2, 3, 4])

    def test_padded_batches(self):
        rows = Dataset.range(3).map(lambda x: (tf.range(x), tf.as_string(x)))
        batch = rows.padded_batch(3, ([None], []))
        self.assertEqual(batch.output_shapes[0].as_list(), [None, None])
        ((numbers, texts),) = elements(batch)
        self.assertAllEqual(numbers, [[0, 0], [0, 0], [0, 1]])
        self.assertEqual(texts.tolist(), [b"0", b"1", b"2"])
        values = (tf.constant(-1, tf.int64), "")
        ((numbers, _),) = elements(rows.padded_batch(3, ([3], []), padding_values=values))
        self.assertAllEqual(numbers, [[-1, -1, -1], [0, -1, -1], [0, 1, -1]])
        with self.assertRaisesRegex(ValueError, "is not compatible"):
            rows.padded_batch(3, ([], []))
        with self.assertRaisesRegex(TypeError, "does not match output type"):
            rows.padded_batch(3, ([3], []), padding_values=(1.5, ""))

    def test_seeds_decide_the_order(self):
        # As TensorFlow 1.15 shuffles them.
        shuffled = Dataset.range(10).shuffle(4, seed=3)
        self.assertEqual(
            elements(shuffled.repeat(2)),
            [3, 4, 2, 0, 7, 5, 6, 8, 9, 1, 2, 1, 0, 6, 7, 5, 4, 3, 9, 8],
        )
        fixed = Dataset.range(10).shuffle(4, seed=3, reshuffle_each_iteration=False)
        self.assertEqual(elements(fixed.repeat(2)), [3, 4, 2, 0, 7, 5, 6, 8, 9, 1] * 2)
        self.assertEqual(sorted(elements(Dataset.range(10).shuffle(100))), list(range(10)))

    def test_functions_for_apply(self):
        experimental = tf.data.experimental
        squares = experimental.map_and_batch(lambda x: x * x, 2)
        found = elements(Dataset.range(3).apply(squares))
        self.assertEqual([batch.tolist() for batch in found], [[0, 1], [4]])
        twice = elements(Dataset.range(3).apply(experimental.shuffle_and_repeat(2, 2)))
        self.assertEqual([sorted(twice[:3]), sorted(twice[3:])], [[0, 1, 2], [0, 1, 2]])
        self.assertEqual(
            elements(Dataset.from_tensors([1, 2]).apply(experimental.unbatch())), [1, 2]
        )
        with self.assertRaises(TypeError):
            Dataset.range(3).apply(lambda _: None)


class FunctionsTest(tf.test.TestCase):
    def test_a_tuple_is_given_as_arguments_and_a_dict_as_one(self):
        pairs = Dataset.from_tensor_slices(([1, 2], [10, 20]))
        self.assertEqual(elements(pairs.map(lambda x, y: x + y)), [11, 22])
        named = Dataset.from_tensor_slices({"a": [1, 2]}).map(lambda d: {"b": d["a"] * 2})
        self.assertEqual(elements(named), [{"b": 2}, {"b": 4}])
        self.assertEqual(elements(pairs.map(lambda *xs: [xs[0], xs[1]]))[0], (1, 10))

    def test_functions_use_tensors_and_variables_around_them(self):
        ten = tf.constant(10, tf.int64)
        self.assertEqual(elements(Dataset.range(2).map(lambda x: x + ten)), [10, 11])
        nested = Dataset.range(2).flat_map(lambda x: Dataset.range(2).map(lambda y: x * ten + y))
        self.assertEqual(elements(nested), [0, 1, 10, 11])
        scale = tf.get_variable("scale", initializer=np.int64(3))
        dataset = Dataset.range(3).map(lambda x: x * scale)
        iterator = dataset.make_initializable_iterator()
        following = iterator.get_next()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(iterator.initializer)
            self.assertEqual([session.run(following) for _ in range(3)], [0, 3, 6])

    def test_branches_loops_and_python_functions_in_functions(self):
        dataset = Dataset.range(4).map(
            lambda x: tf.cond(
                x > 1, lambda: -x, lambda: tf.py_func(lambda a: a + 10, [x], tf.int64)
            )
        )
        self.assertEqual(elements(dataset), [10, 11, -2, -3])
        powers = Dataset.range(4).map(
            lambda x: tf.while_loop(
                lambda i, _: i < x, lambda i, p: (i + 1, p * 2), [np.int64(0), 1]
            )[1]
        )
        self.assertEqual(elements(powers), [1, 2, 4, 8])

    def test_a_list_that_a_function_returns_is_a_tuple_of_components(self):
        both = Dataset.range(2).map(
            lambda x: tf.py_func(lambda a: (a, a / 2), [x], [tf.int64, tf.float64])
        )
        self.assertEqual(both.output_types, (tf.int64, tf.float64))
        self.assertEqual(elements(both), [(0, 0.0), (1, 0.5)])
        named = both.map(lambda x, y: {"x": [x, x], "y": y})  # a list within it is a tensor
        self.assertAllEqual(elements(named)[1]["x"], [1, 1])

    def test_parallel_calls_keep_the_order(self):
        calls = (4, tf.data.experimental.AUTOTUNE, tf.constant(2))
        for parallel in calls:
            dataset = Dataset.range(50).map(lambda x: x * x, num_parallel_calls=parallel)
            self.assertEqual(elements(dataset), [i * i for i in range(50)])

    def test_a_filter_needs_a_scalar_truth(self):
        odd = Dataset.range(5).filter(lambda x: tf.equal(x % 2, 1))
        self.assertEqual(elements(odd), [1, 3])
        with self.assertRaisesRegex(ValueError, "scalar boolean"):
            Dataset.range(5).filter(lambda x: x)

    def test_interleaved_datasets_take_turns(self):
        for parallel in (None, 2):
            dataset = Dataset.range(3).interleave(
                lambda x: Dataset.from_tensors(x).repeat(2),
                cycle_length=2,
                num_parallel_calls=parallel,
            )
            self.assertEqual(elements(dataset), [0, 1, 0, 1, 2, 2])
        with self.assertRaisesRegex(TypeError, "must return a `Dataset`"):
            Dataset.range(3).flat_map(lambda x: x)

    def test_a_reduction_is_a_structure_like_its_state(self):
        total, count = Dataset.range(5).reduce(
            (np.int64(0), 0), lambda state, x: (state[0] + x, state[1] + 1)
        )
        with tf.Session() as session:
            self.assertEqual(session.run([total, count]), [10, 5])
        with self.assertRaisesRegex(TypeError, "element types for the new state"):
            Dataset.range(5).reduce(0, lambda state, x: x)

    def test_an_error_names_the_op_of_the_function_and_the_next_element_follows(self):
        checked = Dataset.from_tensor_slices([1.0, np.nan, 2.0]).map(
            lambda x: tf.check_numerics(x, "bad", name="check")
        )
        following = checked.make_one_shot_iterator().get_next()
        with tf.Session() as session:
            self.assertEqual(session.run(following), 1)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "bad") as failed:
                session.run(following)
            self.assertEqual(failed.exception.node, "check")
            self.assertEqual(session.run(following), 2)


if __name__ == "__main__":
    unittest.main()
