"""Options, with fields as in TensorFlow's messages."""

import unittest

import troupe as tf


class ConfigTest(unittest.TestCase):
    def test_fields_are_set_by_keyword_or_by_attribute(self):
        config = tf.ConfigProto(log_device_placement=True, device_count={"CPU": 2})
        config.gpu_options.allow_growth = True
        config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
        config.graph_options.rewrite_options.auto_parallel.enable = True
        config.device_filters.append("/job:ps")
        config.device_count["GPU"] = 0
        self.assertEqual(config.device_count, {"CPU": 2, "GPU": 0})
        self.assertEqual(tf.ConfigProto().device_filters, [])
        self.assertFalse(tf.ConfigProto().gpu_options.allow_growth)
        self.assertIn("opt_level=-1", repr(config))

    def test_an_unknown_field_is_an_error_that_names_it(self):
        with self.assertRaisesRegex(ValueError, 'ConfigProto has no "log_placement" field'):
            tf.ConfigProto(log_placement=True)
        with self.assertRaisesRegex(AttributeError, 'GPUOptions has no "growth" field'):
            tf.ConfigProto().gpu_options.growth = True

    def test_options_are_copied_and_merged(self):
        one = tf.ConfigProto(operation_timeout_in_ms=5, device_filters=["/job:ps"])
        copy = tf.ConfigProto()
        copy.CopyFrom(one)
        self.assertEqual(copy, one)
        copy.device_filters.append("/job:worker")
        self.assertEqual(one.device_filters, ["/job:ps"])
        more = tf.ConfigProto(device_filters=["/job:chief"], log_device_placement=True)
        one.MergeFrom(more)
        self.assertEqual(one.operation_timeout_in_ms, 5)
        self.assertEqual(one.device_filters, ["/job:ps", "/job:chief"])
        self.assertTrue(one.log_device_placement and one.HasField("log_device_placement"))
        self.assertFalse(one.HasField("gpu_options"))


if __name__ == "__main__":
    unittest.main()
