"""Rounded numbers of training for integers, against formulas of NumPy."""

import unittest

import numpy as np

import troupe as tf
from troupe.python.ops import array_ops, gen_array_ops

random = np.random.RandomState(4)


def rounded(x, low, high, bits=8, narrow=False):
    """The numbers of x as integers of a range that has 0 keep them, and the range's true limits."""
    least, most = int(narrow), 2**bits - 1
    scale = (high - low) / (most - least)
    zero = np.clip(np.round(least - low / scale), least, most)
    low, high = (least - zero) * scale, (most - zero) * scale
    return np.round((np.clip(x, low, high) - low) / scale) * scale + low, low, high


class FakeQuantTest(tf.test.TestCase):
    def test_numbers_are_limited_to_a_range_and_rounded(self):
        x = random.uniform(-8, 8, [50])
        for form in [{}, {"num_bits": 3}, {"narrow_range": True}]:
            result = tf.fake_quant_with_min_max_args(x, min=-5, max=4, **form)
            expected, *_ = rounded(
                x, -5, 4, form.get("num_bits", 8), form.get("narrow_range", False)
            )
            self.assertAllClose(self.evaluate(result), expected, atol=1e-5)
            same = tf.quantization.fake_quant_with_min_max_vars(x, -5.0, 4.0, **form)
            self.assertAllEqual(self.evaluate(same), self.evaluate(result))

    def test_each_channel_has_a_range(self):
        x = random.uniform(-8, 8, [20, 2])
        low, high = [-5.0, -1.0], [4.0, 2.0]
        result = self.evaluate(tf.fake_quant_with_min_max_vars_per_channel(x, low, high))
        for channel in range(2):
            expected, *_ = rounded(x[:, channel], low[channel], high[channel])
            self.assertAllClose(result[:, channel], expected, atol=1e-5)

    def test_gradients_pass_in_the_range(self):
        x = tf.constant(random.uniform(-8, 8, [50]), tf.float32)
        weights = random.uniform(1, 2, [50]).astype(np.float32)
        low, high = tf.Variable(-5.0), tf.Variable(4.0)
        y = tf.fake_quant_with_min_max_vars(x, low, high)
        found = tf.gradients(tf.reduce_sum(y * weights), [x, low, high])
        direct = tf.quantization.fake_quant_with_min_max_vars_gradient(weights, x, low, high)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            values, (dx, dlow, dhigh), direct = session.run([x, found, direct])
        _, least, most = rounded(values, -5, 4)
        self.assertAllEqual(dx, np.where((values < least) | (values > most), 0, weights))
        self.assertAllClose(dlow, weights[values < least].sum())
        self.assertAllClose(dhigh, weights[values > most].sum())
        for one, other in zip((dx, dlow, dhigh), direct):
            self.assertAllEqual(one, other)

    def test_a_range_is_learned(self):
        x = tf.constant(random.uniform(-1, 3, [64, 2]), tf.float32)
        high = tf.get_variable("high", initializer=[1.0, 2.0])
        y = tf.fake_quant_with_min_max_vars_per_channel(x, -tf.ones([2]), high)
        step = tf.train.GradientDescentOptimizer(1.0).minimize(tf.losses.mean_squared_error(x, y))
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(80):
                session.run(step)
            self.assertTrue(np.all(np.abs(session.run(high) - 2.9) < 0.2))

    def test_wrong_ranges_and_bits_are_errors(self):
        with self.session() as session:
            for result, says in [
                (tf.fake_quant_with_min_max_args([1.0], min=2, max=1), "min has to be smaller"),
                (tf.fake_quant_with_min_max_args([1.0], num_bits=1), "num_bits must be between"),
                (tf.fake_quant_with_min_max_vars([1.0], 0.0, 1.0, 17), "num_bits must be between"),
            ]:
                with self.assertRaisesRegex(tf.errors.InvalidArgumentError, says):
                    session.run(result)
        with self.assertRaises(ValueError):
            tf.fake_quant_with_min_max_vars_per_channel(tf.ones([3, 2]), [0.0], [1.0])

    def test_ops_on_quantized_dtypes_are_said_to_be_missing(self):
        with self.assertRaisesRegex(AttributeError, "not part of this version.*quantized dtypes"):
            tf.quantization.dequantize  # noqa: B018


class QuantizeAndDequantizeTest(tf.test.TestCase):
    def test_numbers_are_scaled_and_rounded(self):
        x = random.uniform(-8, 8, [30]).astype(np.float32)
        x[0] = -10
        whole = tf.quantization.quantize_and_dequantize(x, 0.0, 0.0)
        self.assertAllClose(self.evaluate(whole), np.round(x * 12.8) / 12.8)
        given = array_ops.quantize_and_dequantize(
            x, -4.0, 4.0, num_bits=4, range_given=True, narrow_range=True, name="given"
        )
        self.assertEqual(given.op.name, "given")
        scale = 7 / 4
        self.assertAllClose(self.evaluate(given), np.round(np.clip(x, -4, 4) * scale) / scale)
        same = gen_array_ops.quantize_and_dequantize_v3(x, -4.0, 4.0, 4, narrow_range=True)
        self.assertAllEqual(self.evaluate(same), self.evaluate(given))

    def test_halves_are_rounded_as_asked_for(self):
        x = [-2.5, -1.5, 0.5, 1.5]
        for mode, expected in [("HALF_TO_EVEN", [-2, -2, 0, 2]), ("HALF_UP", [-2, -1, 1, 2])]:
            result = tf.quantization.quantize_and_dequantize(
                x, -128.0, 127.0, range_given=True, round_mode=mode
            )
            self.assertAllEqual(self.evaluate(result), expected)

    def test_gradients_pass_as_if_nothing_were_rounded(self):
        x = tf.constant([0.1, -30.0])
        y = tf.quantization.quantize_and_dequantize(x, -1.0, 1.0, range_given=True)
        self.assertAllEqual(self.evaluate(tf.gradients(3 * y, x)[0]), [3, 3])


if __name__ == "__main__":
    unittest.main()
