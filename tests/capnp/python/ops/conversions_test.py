"""Values that become tensors: of one's own classes, in lists, and beside sparse ones."""

import unittest

import numpy as np

import troupe as tf


class Length:
    def __init__(self, metres):
        self.metres = metres


class Mask:
    """Knows tensors: its operators take them."""

    def __radd__(self, tensor):
        return tf.identity(tensor, name="masked")


def convert_length(value, dtype=None, name=None, as_ref=False):
    if value.metres < 0:
        return NotImplemented
    return tf.constant(value.metres, dtype or tf.float32, name=name or "Length")


tf.register_tensor_conversion_function(Length, convert_length)
tf.register_tensor_conversion_function(
    (Length,), lambda value, **options: tf.constant(0.0), priority=200
)


class ConversionsTest(tf.test.TestCase):
    def run_all(self, fetches, feeds=None):
        with tf.Session() as session:
            return session.run(fetches, feeds)

    def test_numbers_of_numpy_are_cast_to_the_dtype_that_is_asked_for(self):
        with tf.Session() as session:
            for value, dtype, cast in [
                (np.array([2.7, -1.0]), tf.int32, [2, -1]),
                (np.float64(2.7), tf.int64, 2),
                (np.array([True, False]), tf.float32, [1, 0]),
                (np.array([2, 0]), tf.bool, [True, False]),
                (np.array([2, 300]), tf.uint8, [2, 44]),
            ]:
                for tensor in (tf.constant(value, dtype), tf.convert_to_tensor(value, dtype)):
                    self.assertEqual(session.run(tensor).tolist(), cast)
            for value in (2.7, [2.7], [np.float32(1.5), 2]):
                with self.assertRaisesRegex(TypeError, "Expected int32"):
                    tf.constant(value, tf.int32)
            tiled = tf.tile([[1, 2]], np.array([2.0, 1.0]))
            self.assertEqual(session.run(tiled).tolist(), [[1, 2], [1, 2]])
            sum_of_both = tf.constant([1.0, 2.0]) + np.array([True, False])
            self.assertEqual(session.run(sum_of_both).tolist(), [2, 2])
            self.assertEqual(tf.range(np.int64(1 << 40), np.int64((1 << 40) + 1)).dtype, tf.int64)

    def test_numbers_of_numpy_in_lists_are_those_of_python(self):
        for value, expected in [
            ([np.int64(3), np.int64(4)], tf.int32), ([np.float64(0.5), 2], tf.float32),
            ([[np.float64(0.5)], [np.float32(2)]], tf.float32), ([np.int64(1 << 40)], tf.int64),
            ([np.int8(3)], tf.int8), (np.float64(0.5), tf.float64), (np.int64(3), tf.int64),
            ([np.array([0.5, 1.0])], tf.float64), (np.array([3]), tf.int64),
        ]:  # fmt: skip
            self.assertIs(tf.constant(value).dtype, expected)
            self.assertIs(tf.convert_to_tensor(value).dtype, expected)

    def test_floats_are_integers_where_attributes_are(self):
        ramp = tf.reshape(tf.range(8.0), [8, 1])
        for size in (4.0, np.float32(4.9)):
            sound = tf.raw_ops.AudioSpectrogram(input=ramp, window_size=size, stride=8 / 4)
            self.assertEqual(sound.op.get_attr("window_size"), 4)
            self.assertEqual(sound.op.get_attr("stride"), 2)
        pooled = tf.nn.max_pool(tf.ones([1, 4, 4, 1]), [1, 4 / 2, 2.0, 1], [1, 2, 2, 1], "VALID")
        self.assertEqual(pooled.op.get_attr("ksize"), [1, 2, 2, 1])
        with self.assertRaises(TypeError):
            tf.raw_ops.AudioSpectrogram(input=ramp, window_size="4", stride=2)
        with self.assertRaises(ValueError):
            tf.raw_ops.AudioSpectrogram(input=ramp, window_size=float("nan"), stride=2)

    def test_values_of_a_registered_type_are_operands_and_inputs(self):
        self.assertEqual(self.run_all(tf.constant(1.0) + Length(2.0)), 3)
        self.assertEqual(self.run_all(tf.square(Length(3.0))), 9)
        self.assertIs(tf.convert_to_tensor(Length(1.0), tf.float64).dtype, tf.float64)

    def test_a_function_that_does_not_convert_leaves_it_to_the_next(self):
        self.assertEqual(self.run_all(tf.convert_to_tensor(Length(-1.0))), 0)
        with self.assertRaisesRegex(RuntimeError, "float32, not int32"):
            tf.convert_to_tensor(Length(-1.0), tf.int32)

    def test_what_cannot_be_registered_is_refused(self):
        for types, function in (("int", convert_length), (Length, None), (int, convert_length)):
            with self.assertRaises(TypeError):
                tf.register_tensor_conversion_function(types, function)

    def test_a_class_that_knows_tensors_has_its_own_operators(self):
        self.assertEqual((tf.constant(1.0) + Mask()).op.name, "masked")
        with self.assertRaises(TypeError):
            tf.constant(1.0) * Mask()  # noqa: B018
        with self.assertRaisesRegex(TypeError, "Expected int32"):
            tf.constant(1) + 1.5  # noqa: B018

    def test_a_list_of_tensors_becomes_the_dtype_that_is_wanted(self):
        parts = [tf.constant([1.0, 2]), tf.constant([3.0, 4])]
        packed = tf.convert_to_tensor(parts, tf.float64)
        self.assertIs(packed.dtype, tf.float64)
        self.assertAllEqual(self.run_all(packed), [[1, 2], [3, 4]])

    def test_a_product_with_a_sparse_tensor_is_sparse_on_both_sides(self):
        sparse = tf.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0], [2, 2])
        dense = tf.constant([[2.0, 3], [4, 5]])
        for product in (sparse * dense, dense * sparse):
            self.assertAllEqual(self.run_all(product).values, [2, 10])

    def test_slices_stay_slices(self):
        slices = tf.IndexedSlices(tf.constant([[3.0, 4]]), tf.constant([5]))
        self.assertAllClose(self.run_all(tf.clip_by_norm(slices, 1.0)).values, [[0.6, 0.8]])
        self.assertAllEqual(self.run_all(tf.scalar_mul(2.0, slices)).values, [[6, 8]])

    def test_a_tensordot_of_unknown_ranks(self):
        a, b = tf.placeholder(tf.float64), tf.placeholder(tf.float64)
        x, y = np.random.random([2, 3, 4]), np.random.random([3, 4, 5])
        for axes in (2, ([1, 2], [0, 1]), (-1, 1), ([2, 1], [-2, 0])):
            product = tf.tensordot(a, b, axes)
            expected = np.tensordot(x, y, axes)
            self.assertAllClose(self.run_all(product, {a: x, b: y}), expected)
        (gradient,) = tf.gradients(tf.tensordot(a, b, 2), a)
        self.assertAllClose(
            self.run_all(gradient, {a: x, b: y}), np.broadcast_to(y.sum(2), [2, 3, 4])
        )

    def test_an_open_size_of_an_empty_tensor(self):
        self.assertEqual(tf.reshape(tf.zeros([0, 6]), [0, -1, 3]).shape.as_list(), [0, 2, 3])

    def test_a_list_with_tensors_is_cast_where_another_dtype_is_wanted(self):
        whole, half = tf.constant(1), tf.constant(0.5)
        cast = tf.convert_to_tensor([[half, 2.5], [whole, half]], tf.float64)
        with self.session() as session:
            self.assertAllEqual(session.run(cast), [[0.5, 2.5], [1, 0.5]])
        with self.assertRaisesRegex(TypeError, "containing a tensor of dtype int32"):
            tf.convert_to_tensor([half, whole])

    def test_values_of_one_hot_have_one_dtype(self):
        self.assertEqual(tf.one_hot([1], 2, 5).dtype, tf.int32)
        for values, dtype in (((1.0, 0), None), ((1.0, 0.0), tf.int32), ((None, 1), tf.float32)):
            with self.subTest(values=values), self.assertRaisesRegex(TypeError, "does not match"):
                tf.one_hot([1], 2, *values, dtype=dtype)

    def test_bins_are_int32_and_arrays_lose_their_imaginary_parts(self):
        bins = tf.histogram_fixed_width_bins([0.0, 5.0], [0.0, 5.0], 5, tf.int64)
        self.assertEqual(bins.dtype, tf.int32)
        with self.assertWarns(Warning):
            real = tf.constant(np.array([1 + 2j]), tf.float64)
        self.assertAllEqual(self.run_all(real), [1])


if __name__ == "__main__":
    unittest.main()
