"""`typing.get_type_hints` finds the names in the annotations of what is public."""

import inspect
import typing
import unittest

import troupe as tf
from completion_test import public_modules


def functions_of(owner):
    """(name, function) of the methods and properties of a class, also of its private bases."""
    for base in owner.__mro__:
        if base.__module__.split(".")[0] != "troupe":
            continue
        for name, value in vars(base).items():
            is_private = name.startswith("_") and not name.endswith("__")
            function = getattr(value, "__func__", getattr(value, "fget", value))
            # The `__new__` of named tuples is of Python's.
            is_ours = inspect.isfunction(function) and function.__module__.startswith("troupe")
            if is_ours and not is_private:
                yield f"{owner.__name__}.{name}", function


def public_definitions():
    """{definition: name} of all public classes, functions and methods."""
    found = {}
    for module in public_modules():
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value):
                found.update({each: called for called, each in functions_of(value)})
            if inspect.isclass(value) or inspect.isfunction(value):
                found[value] = f"{module.__name__}.{name}"
    return found


def fault_of(definition):
    try:
        typing.get_type_hints(definition)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


class TypeHintsTest(unittest.TestCase):
    def test_each_public_class_function_and_method_has_hints(self):
        definitions = public_definitions()
        self.assertIn(tf.get_variable, definitions)
        self.assertIn(tf.Session.run, definitions)
        faults = {name: fault_of(each) for each, name in definitions.items()}
        self.assertEqual({name: fault for name, fault in faults.items() if fault}, {})

    def test_names_are_those_of_the_module_that_has_the_code(self):
        hints = typing.get_type_hints(tf.FixedLenSequenceFeature)
        self.assertIs(hints["allow_missing"], bool)

    def test_names_that_are_defined_later_are_those_classes(self):
        self.assertIs(typing.get_type_hints(tf.Tensor.graph.fget)["return"], tf.Graph)
        self.assertIs(typing.get_type_hints(tf.Tensor.__neg__)["return"], tf.Tensor)
        hints = typing.get_type_hints(tf.train.QueueRunner.create_threads)
        self.assertIn(tf.train.Coordinator, typing.get_args(hints["coord"]))


if __name__ == "__main__":
    unittest.main()
