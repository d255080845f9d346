"""What completion shows of the public modules, and what a mistyped name is answered with."""

import importlib
import pkgutil
import types
import unittest

import troupe as tf


def public_modules():
    yield tf
    for found in pkgutil.walk_packages(tf.__path__, "troupe."):
        parts = found.name.split(".")
        hidden = ("_src", "examples", "__main__", "as_tensorflow", "_native")
        if not any(part in hidden for part in parts):
            yield importlib.import_module(found.name)


def is_inside(value, name):
    """Whether it is a module of the package of that name."""
    return isinstance(value, types.ModuleType) and value.__name__.startswith(f"{name}.")


class CompletionTest(unittest.TestCase):
    def test_dir_lists_what_is_public_and_nothing_else(self):
        modules = {module.__name__: module for module in public_modules()}
        for name, module in modules.items():
            with self.subTest(name):
                shown = {each for each in dir(module) if not each.startswith("__")}
                submodules = {each for each in shown if is_inside(getattr(module, each), name)}
                public = {each for each in module.__all__ if not each.startswith("_")}
                self.assertEqual(shown - submodules, public - submodules)

    def test_modules_that_are_loaded_when_used_are_listed_before(self):
        self.assertLessEqual({"compat", "estimator", "feature_column", "saved_model"}, set(dir(tf)))
        self.assertIn("experimental", dir(tf.data))

    def test_another_name_of_the_package_lists_the_same(self):
        self.assertEqual(dir(tf.compat.v1), dir(tf))

    def suggestion(self, module, name):
        with self.assertRaises(AttributeError) as raised:
            getattr(module, name)
        _, _, suggested = str(raised.exception).partition("; did you mean ")
        return suggested.strip("'?")

    def test_a_suggestion_is_spelled_alike(self):
        self.assertEqual(self.suggestion(tf, "reduce_summ"), "reduce_sum")
        self.assertEqual(self.suggestion(tf, "sesion"), "Session")
        self.assertEqual(self.suggestion(tf.train, "AdamOptimzer"), "AdamOptimizer")
        self.assertEqual(self.suggestion(tf, "nonsense"), "")

    def test_a_name_of_another_module_is_found_there(self):
        self.assertEqual(self.suggestion(tf, "AdamOptimizer"), "troupe.train.AdamOptimizer")
        self.assertEqual(self.suggestion(tf.nn, "Saver"), "troupe.train.Saver")


if __name__ == "__main__":
    unittest.main()
