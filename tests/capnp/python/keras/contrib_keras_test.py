"""Keras has the modules of `tf.keras` where the contributed modules had it."""

import importlib
import importlib.util
import unittest

import troupe as tf


@unittest.skipUnless(importlib.util.find_spec("keras"), "keras is not installed")
class ContribKerasTest(unittest.TestCase):
    def test_modules_are_those_of_keras(self):
        dense = tf.keras.layers.Dense
        self.assertIs(tf.contrib.keras.layers.Dense, dense)
        self.assertIs(tf.contrib.keras.api.keras.layers.Dense, dense)
        for name in ("troupe.contrib.keras", "troupe.contrib.keras.api.keras"):
            self.assertIs(importlib.import_module(f"{name}.layers").Dense, dense)
            self.assertIs(importlib.import_module(f"{name}.losses"), tf.keras.losses)
            module = importlib.import_module(name)
            self.assertIn("wrappers", dir(module))
            with self.assertRaises(AttributeError):
                module.nothing  # noqa: B018


if __name__ == "__main__":
    unittest.main()
