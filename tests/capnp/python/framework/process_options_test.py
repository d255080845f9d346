"""What `tf.config.optimizer` and `tf.debugging` say of sessions without options."""

import unittest

import troupe as tf
from troupe._src.session.default_config import default_config, shared_config


class ProcessOptionsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        before = default_config()
        self.addCleanup(lambda: shared_config().CopyFrom(before))

    def test_passes_are_named_and_read_back(self):
        optimizer = tf.config.optimizer
        self.assertEqual(optimizer.get_experimental_options(), {})
        optimizer.set_experimental_options(
            {"constant_folding": False, "remapping": True, "disable_meta_optimizer": True}
        )
        self.assertEqual(
            optimizer.get_experimental_options(),
            {"constant_folding": False, "remapping": True, "disable_meta_optimizer": True},
        )
        passes = default_config().graph_options.rewrite_options
        self.assertEqual(passes.constant_folding, passes.OFF)
        with self.assertRaisesRegex(ValueError, "no passes over graphs: folding;"):
            optimizer.set_experimental_options({"folding": True})

    def test_other_options_are_read_back(self):
        for get, put in (
            (tf.config.optimizer.get_jit, tf.config.optimizer.set_jit),
            (tf.debugging.get_log_device_placement, tf.debugging.set_log_device_placement),
        ):
            self.assertFalse(get())
            put(True)
            self.assertTrue(get())

    def test_the_horizon_of_compatibility(self):
        compatible = tf.compat.forward_compatible
        self.assertTrue(compatible(2019, 8, 20))
        self.assertFalse(compatible(2019, 8, 21))
        with tf.compat.forward_compatibility_horizon(2019, 8, 22):
            self.assertTrue(compatible(2019, 8, 21))
        self.assertFalse(compatible(2019, 8, 21))


if __name__ == "__main__":
    unittest.main()
