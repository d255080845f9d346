"""Arguments of layers in one form, and sizes along an axis, as programs import them."""

import unittest

import numpy as np

import troupe as tf
from troupe.python.layers import utils


class UtilsTest(tf.test.TestCase):
    def test_arguments_have_one_form(self):
        self.assertEqual(utils.convert_data_format("channels_last", 4), "NHWC")
        self.assertEqual(utils.convert_data_format("channels_first", 5), "NCDHW")
        with self.assertRaisesRegex(ValueError, "Invalid data_format"):
            utils.convert_data_format("NHWC", 4)
        with self.assertRaisesRegex(ValueError, "rank not supported"):
            utils.convert_data_format("channels_last", 6)
        self.assertEqual(utils.normalize_tuple(3, 2, "strides"), (3, 3))
        self.assertEqual(utils.normalize_tuple([1, 2], 2, "strides"), (1, 2))
        for wrong in ([1, 2, 3], None, ["a", "b"]):
            with self.assertRaisesRegex(ValueError, "`strides` argument must be a tuple of 2"):
                utils.normalize_tuple(wrong, 2, "strides")
        self.assertEqual(utils.normalize_data_format("Channels_Last"), "channels_last")
        self.assertEqual(utils.normalize_padding("SAME"), "same")
        with self.assertRaisesRegex(ValueError, "`padding` argument must be one of"):
            utils.normalize_padding("full")

    def test_lengths_are_those_of_convolutions(self):
        for length in (7, 8):
            for size in (2, 3):
                for stride in (1, 2, 3):
                    for padding in ("same", "valid"):
                        image, taps = np.ones([1, length, 1]), np.ones([size, 1, 1])
                        found = tf.nn.conv1d(image, taps, stride, padding.upper())
                        expected = utils.conv_output_length(length, size, padding, stride)
                        self.assertEqual(found.shape[1], expected)
                        layer = tf.layers.Conv2DTranspose(1, (size, 1), (stride, 1), padding)
                        wider = layer(np.ones([1, length, 1, 1], np.float32))
                        expected = utils.deconv_output_length(length, size, padding, stride)
                        self.assertEqual(wider.shape[1], expected)
        self.assertEqual(utils.conv_output_length(8, 3, "full", 2), 5)
        self.assertEqual(utils.conv_output_length(8, 3, "valid", 1, dilation=2), 4)
        self.assertEqual(utils.deconv_output_length(4, 3, "full", 2), 5)
        self.assertEqual(utils.conv_input_length(4, 3, "valid", 2), 9)
        self.assertEqual(utils.conv_input_length(4, 3, "same", 2), 7)
        self.assertEqual(utils.conv_input_length(4, 3, "full", 2), 5)
        self.assertIsNone(utils.conv_output_length(None, 3, "same", 2))
        self.assertIsNone(utils.conv_input_length(None, 3, "same", 2))
        self.assertIsNone(utils.deconv_output_length(None, 3, "same", 2))

    def test_conditions_may_be_known(self):
        self.assertIs(utils.constant_value(1), True)
        self.assertIs(utils.constant_value(tf.constant(False)), False)
        self.assertIsNone(utils.constant_value(tf.placeholder(tf.bool, [])))
        variable = tf.Variable(True)
        self.assertIsNone(utils.constant_value(variable))
        self.assertEqual(utils.smart_cond(False, lambda: 1, lambda: 2), 2)
        chosen = utils.smart_cond(variable, lambda: tf.constant(1), lambda: tf.constant(2))
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run(chosen), 1)
            session.run(variable.assign(False))
            self.assertEqual(session.run(chosen), 2)


if __name__ == "__main__":
    unittest.main()
