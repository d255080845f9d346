"""Functions and operators that take ragged tensors as they take others."""

import functools

import numpy as np

import troupe as tf

ROWS = [[3.0, 1.0, 4.0], [], [1.0, 5.0]]


def of_elements(function, *rows):
    """What a function gives for the elements of nested lists."""
    if not isinstance(rows[0], list):
        return function(*rows)
    return [of_elements(function, *each) for each in zip(*rows)]


class RaggedFunctionsTest(tf.test.TestCase):
    def check(self, ragged, rows):
        with self.session():
            self.assertAllClose(ragged, rows)

    def test_element_wise_functions_of_one_tensor(self):
        x = tf.ragged.constant(ROWS)
        for function, expected in [
            (tf.abs, abs), (tf.exp, np.exp), (tf.negative, np.negative), (tf.square, np.square),
            (tf.zeros_like, lambda _: 0.0), (tf.identity, lambda each: each), (tf.cos, np.cos),
            (functools.partial(tf.clip_by_value, clip_value_min=2, clip_value_max=4),
             lambda each: np.clip(each, 2, 4)),
            (functools.partial(tf.cast, dtype=tf.int32), int), (tf.nn.relu, lambda each: each),
        ]:  # fmt: skip
            self.check(function(x), of_elements(expected, ROWS))

    def test_element_wise_functions_of_strings(self):
        words = tf.ragged.constant([["Ab", "c"], [], ["dEf"]])
        with self.session():
            self.assertAllEqual(tf.strings.lower(words), [[b"ab", b"c"], [], [b"def"]])
            self.assertAllEqual(tf.strings.length(words), [[2, 1], [], [3]])
            self.assertAllEqual(tf.strings.substr(words, 0, 1), [[b"A", b"c"], [], [b"d"]])
            joined = tf.strings.join([words, words], separator="-")
            self.assertAllEqual(joined, [[b"Ab-Ab", b"c-c"], [], [b"dEf-dEf"]])
            self.assertAllEqual(tf.strings.reduce_join(words, axis=1), [b"Abc", b"", b"dEf"])

    def test_operators(self):
        x, y = tf.ragged.constant(ROWS), tf.ragged.constant([[2.0, 2.0, 3.0], [], [4.0, 2.0]])
        other = [[2.0, 2.0, 3.0], [], [4.0, 2.0]]
        for operate in [
            lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b,
            lambda a, b: a // b, lambda a, b: a % b, lambda a, b: a**b, lambda a, b: a < b,
            lambda a, b: a >= b,
        ]:  # fmt: skip
            self.check(operate(x, y), of_elements(operate, ROWS, other))
            self.check(operate(x, 2.0), of_elements(lambda a: operate(a, 2.0), ROWS))  # noqa: B023
            self.check(operate(2.0, x), of_elements(lambda a: operate(2.0, a), ROWS))  # noqa: B023
        self.check(-x, of_elements(np.negative, ROWS))
        self.check(~(x > 2), of_elements(lambda a: a <= 2, ROWS))
        self.check((x > 2) ^ (y > 2), of_elements(lambda a, b: (a > 2) ^ (b > 2), ROWS, other))
        self.check(tf.constant([[1.0], [2.0], [3.0]]) + x, [[4, 2, 5], [], [4, 8]])
        with self.assertRaisesRegex(TypeError, "boolean"):
            bool(x)

    def test_arguments_broadcast(self):
        x = tf.ragged.constant([[[1, 2], [3]], [], [[4]]])
        self.check(x + 10, [[[11, 12], [13]], [], [[14]]])
        self.check(x * tf.constant([[[1]], [[2]], [[3]]]), [[[1, 2], [3]], [], [[12]]])
        uniform = tf.ragged.constant([[[10], [20]], [], [[30]]], ragged_rank=1)
        self.check(x + uniform, [[[11, 12], [23]], [], [[34]]])

    def test_rows_of_different_lengths_are_an_error(self):
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "identical ragged splits"):
            tf.ragged.constant([[1, 2], [3]]) + tf.ragged.constant([[1], [2, 3]])
        fed = tf.ragged.placeholder(tf.int32, 1, [])
        total = fed + tf.ragged.constant([[1], [2, 3]])
        with self.session() as session, self.assertRaises(tf.errors.InvalidArgumentError):
            session.run(total, {fed: tf.ragged.constant_value([[1, 2], [3]])})
        with self.assertRaisesRegex(ValueError, "row_splits dtypes"):
            tf.ragged.constant([[1]], row_splits_dtype=tf.int32) + tf.ragged.constant([[1]])

    def test_reductions(self):
        x = tf.ragged.constant([[[1.0, 2.0], [3.0]], [], [[4.0]]])
        self.check(tf.reduce_sum(x), 10)
        self.check(tf.reduce_sum(x, axis=2), [[3, 3], [], [4]])
        self.check(tf.reduce_sum(x, axis=1), [[4, 2], [], [4]])
        self.check(tf.reduce_sum(x, axis=0), [[5, 2], [3]])
        self.check(tf.reduce_sum(x, axis=[1, 2]), [6, 0, 4])
        self.check(tf.reduce_sum(x, axis=[0, -1]), [7, 3])
        rows = tf.ragged.constant(ROWS)
        self.check(tf.reduce_max(rows, axis=1)[::2], [4, 5])
        self.check(tf.reduce_min(rows, axis=0), [1, 1, 4])
        self.check(tf.reduce_prod(rows, axis=1), [12, 1, 5])
        self.check(tf.reduce_mean(rows, axis=0), [2, 3, 4])
        self.check(tf.reduce_all(rows > 1, axis=1), [False, True, False])
        self.check(tf.reduce_any(rows > 3, axis=0), [False, True, True])
        with self.assertRaisesRegex(ValueError, "keepdims"):
            tf.reduce_sum(rows, axis=1, keepdims=True)

    def test_gradients_of_reductions_go_to_the_values(self):
        values = tf.constant([1.0, 2.0, 3.0])
        rows = tf.RaggedTensor.from_row_splits(values, [0, 2, 2, 3])
        loss = tf.reduce_sum(tf.square(tf.reduce_sum(rows * rows, axis=1)))
        with self.session() as session:
            found = session.run(tf.gradients(loss, values)[0])
        self.assertAllClose(found, [20, 40, 108])

    def test_segments(self):
        rows = tf.ragged.constant([[1, 2], [3], [], [4, 5, 6]])
        self.check(tf.unsorted_segment_sum(rows, [0, 2, 0, 2], 3), [[1, 2], [], [7, 5, 6]])
        found = tf.dynamic_partition(rows, [1, 0, 1, 0], 2)
        self.check(found[0], [[3], [4, 5, 6]])
        self.check(found[1], [[1, 2], []])
        stacked = tf.ragged.stack_dynamic_partitions(["a", "b", "c"], [2, 0, 2], 3)
        with self.session():
            self.assertAllEqual(stacked, [[b"b"], [], [b"a", b"c"]])

    def test_tensors_are_joined(self):
        x, y = tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[4], [5, 6]])
        self.check(tf.concat([x, y], axis=0), [[1, 2], [3], [4], [5, 6]])
        self.check(tf.concat([x, y], axis=1), [[1, 2, 4], [3, 5, 6]])
        self.check(tf.concat([x, tf.constant([[9], [9]])], axis=-1), [[1, 2, 9], [3, 9]])
        self.check(tf.stack([x, y]), [[[1, 2], [3]], [[4], [5, 6]]])
        self.check(tf.stack([x, y], axis=1), [[[1, 2], [4]], [[3], [5, 6]]])
        self.check(tf.ragged.stack([[1, 2], [3]]), [[1, 2], [3]])

    def test_rows_and_elements_are_chosen(self):
        x = tf.ragged.constant([[[1, 2], [3]], [], [[4]]])
        self.check(tf.gather(x, [2, 0, 2]), [[[4]], [[1, 2], [3]], [[4]]])
        self.check(tf.gather([10, 20], tf.ragged.constant([[1], [0, 1]])), [[20], [10, 20]])
        self.check(tf.gather_nd(x, [[0, 1], [2, 0]]), [[3], [4]])
        self.check(tf.gather_nd(x, [[0, 0, 1], [2, 0, 0]]), [2, 4])
        rows = tf.ragged.constant([[1, 2, 3], [4]])
        self.check(tf.batch_gather(rows, tf.ragged.constant([[2, 0], [0]])), [[3, 1], [4]])
        self.check(tf.ragged.boolean_mask(rows, rows > 1), [[2, 3], [4]])
        self.check(tf.boolean_mask(rows, [False, True]), [[4]])
        self.check(tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]]),
                   [[1], [3, 4]])  # fmt: skip
        self.check(tf.where(rows > 1), [[0, 1], [0, 2], [1, 0]])
        self.check(tf.where(rows > 1, rows, -rows), [[-1, 2, 3], [4]])
        self.check(tf.where([True, False], rows, tf.ragged.constant([[5], [6, 7]])),
                   [[1, 2, 3], [6, 7]])  # fmt: skip

    def test_axes_are_changed(self):
        x = tf.ragged.constant([[1, 2], [3]])
        self.check(tf.expand_dims(x, 0), [[[1, 2], [3]]])
        self.check(tf.expand_dims(x, 1), [[[1, 2]], [[3]]])
        self.check(tf.expand_dims(x, -1), [[[1], [2]], [[3]]])
        self.check(tf.squeeze(tf.expand_dims(x, 1), 1), [[1, 2], [3]])
        self.check(tf.tile(x, [2, 1]), [[1, 2], [3], [1, 2], [3]])
        self.check(tf.tile(x, [1, 2]), [[1, 2, 1, 2], [3, 3]])
        self.check(tf.one_hot(x, 4), [[[0, 1, 0, 0], [0, 0, 1, 0]], [[0, 0, 0, 1]]])
        self.check(tf.rank(x), 2)
        self.check(tf.size(x), 3)

    def test_a_function_of_flat_values_keeps_the_rows(self):
        x = tf.ragged.constant([[1, 2], [3]])
        found = tf.ragged.map_flat_values(lambda a, scale: a * scale[0], x, scale=[x])
        self.check(found, [[1, 4], [9]])

    def test_a_function_of_each_row_gives_tensors_or_rows(self):
        x = tf.ragged.constant([[1, 2, 3], [], [4]])
        self.check(tf.map_fn(tf.reduce_sum, x), [6, 0, 4])
        from troupe.python.ops.ragged.ragged_tensor import RaggedTensorType

        kind = RaggedTensorType(tf.int32, 1)
        self.check(tf.map_fn(lambda row: row * 2, x, dtype=kind), [[2, 4, 6], [], [8]])

    def test_ranges(self):
        self.check(tf.ragged.range([3, 0, 2]), [[0, 1, 2], [], [0, 1]])
        self.check(tf.ragged.range([0, 5], [3, 2], [1, -1]), [[0, 1, 2], [5, 4, 3]])
        splits = tf.ragged.segment_ids_to_row_splits([0, 0, 2], num_segments=4)
        self.check(splits, [0, 2, 2, 3, 3])
        self.check(tf.ragged.row_splits_to_segment_ids([0, 2, 2, 3]), [0, 0, 2])

    def test_other_names_of_a_function_take_ragged_tensors_too(self):
        x = tf.ragged.constant(ROWS)
        self.check(tf.truediv(x, 2.0), of_elements(lambda a: a / 2, ROWS))
        self.check(tf.math.abs(x), ROWS)
        self.check(tf.math.reduce_sum(x, 1), [8, 0, 6])
        self.check(tf.compat.v2.reduce_sum(x, 1), [8, 0, 6])

    def test_indices_that_no_batch_has_give_a_default(self):
        from troupe.python.ops.ragged import ragged_batch_gather_with_default_op as ops

        rows = tf.ragged.constant([["a", "b"], [], ["c"]])
        found = ops.batch_gather_with_default(rows, tf.ragged.constant([[1, -1], [0], [5]]), "?")
        with self.session():
            self.assertAllEqual(found, [[b"b", b"?"], [b"?"], [b"?"]])
            found = ops.batch_gather_with_default(rows, [2, 9], "?")
            self.assertAllEqual(found, [[b"c"], [b"?"]])

    def test_a_function_without_a_form_for_ragged_tensors_refuses_them(self):
        with self.assertRaises((TypeError, ValueError)):
            tf.matmul(tf.ragged.constant(ROWS), [[1.0]])
        with self.assertRaisesRegex(TypeError, "no operator '@'"):
            tf.ragged.constant(ROWS) @ tf.ragged.constant(ROWS)


if __name__ == "__main__":
    tf.test.main()
