"""Public functions and classes say what they are; newer ones also what they take and give."""

import importlib
import inspect
import pkgutil
import unittest

import troupe

# Modules whose functions say each argument, result and error.
COMPLETE = ("estimator", "estimator.inputs", "feature_column")


def public_functions(module):
    """(name, function or class) of what a module exports."""
    for name in module.__all__:
        value = getattr(module, name)
        if callable(value) and not inspect.ismodule(value):
            yield name, value


def arguments_of(function):
    parameters = inspect.signature(function).parameters.values()
    return [each.name for each in parameters if each.name not in ("self", "name")]


class DocstringsTest(unittest.TestCase):
    def modules(self):
        yield troupe
        for found in pkgutil.walk_packages(troupe.__path__, "troupe."):
            parts = found.name.split(".")
            if "_src" not in parts and parts[-1] not in ("__main__", "as_tensorflow", "_native"):
                yield importlib.import_module(found.name)

    def test_each_public_function_and_class_has_a_docstring(self):
        without = [
            f"{module.__name__}.{name}"
            for module in self.modules()
            if hasattr(module, "__all__")
            for name, value in public_functions(module)
            if not inspect.getdoc(value)
        ]
        self.assertEqual(without, [])

    def test_newer_functions_say_their_arguments(self):
        for place in COMPLETE:
            module = importlib.import_module(f"troupe.{place}")
            for name, value in public_functions(module):
                if not inspect.isfunction(value) and "__init__" not in vars(value):
                    continue
                text = inspect.getdoc(value)
                missing = [each for each in arguments_of(value) if f"    {each}: " not in text]
                self.assertEqual(missing, [], f"{place}.{name}")
                if inspect.isfunction(value):
                    self.assertIn("Returns:", text, f"{place}.{name}")


if __name__ == "__main__":
    unittest.main()
