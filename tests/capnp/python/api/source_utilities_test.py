"""Modules that programs import by their place in TensorFlow's source."""

import functools
import subprocess
import sys
import textwrap
import types
import unittest
from unittest import mock

import troupe as tf
from troupe.python.client import session as client_session
from troupe.python.ops import gen_math_ops, gen_nn_ops
from troupe.python.training import training_ops
from troupe.python.util import (
    all_util,
    deprecation,
    function_utils,
    tf_contextlib,
    tf_decorator,
    tf_export,
    tf_inspect,
)


def run(program):
    """What a program prints in which TensorFlow is this package."""
    text = "import troupe.as_tensorflow\n" + textwrap.dedent(program)
    found = subprocess.run([sys.executable, "-c", text], stdout=subprocess.PIPE, check=True)
    return found.stdout.decode().split()


class UtilitiesTest(tf.test.TestCase):
    def test_arguments_of_callables_are_found(self):
        class Model:
            def __call__(self, features, mode=None, **options):
                pass

            def method(self, x):
                pass

        def function(a, b, *rest, c=1):
            pass

        self.assertEqual(function_utils.fn_args(function), ("a", "b"))
        self.assertEqual(function_utils.fn_args(functools.partial(function, 1)), ("b",))
        self.assertEqual(function_utils.fn_args(functools.partial(function, b=1)), ("a",))
        self.assertEqual(function_utils.fn_args(Model()), ("features", "mode"))
        self.assertEqual(function_utils.fn_args(Model().method), ("x",))
        self.assertTrue(function_utils.has_kwargs(Model()))
        self.assertFalse(function_utils.has_kwargs(function))
        self.assertEqual(function_utils.get_func_name(functools.partial(function)), "function")
        self.assertIs(function_utils.get_func_code(function), function.__code__)
        spec = tf_inspect.getargspec(function)
        self.assertEqual((spec.args, spec.varargs, spec.keywords), (["a", "b"], "rest", None))
        self.assertTrue(tf_inspect.isclass(Model))

    def test_decorated_functions_are_unwrapped(self):
        def inner(x):
            return x

        outer = tf_decorator.make_decorator(inner, lambda *args: inner(*args) + 1)
        self.assertEqual((outer.__name__, outer(1)), ("inner", 2))
        self.assertEqual(tf_decorator.unwrap(outer), ([outer], inner))
        self.assertEqual(tf_inspect.getargspec(outer).args, ["x"])
        with tf_contextlib.contextmanager(lambda: iter([5]))() as value:
            self.assertEqual(value, 5)
        self.assertEqual(tf_export.kwarg_only(inner)(x=3), 3)
        with self.assertRaises(TypeError):
            tf_export.kwarg_only(inner)(3)
        self.assertIs(tf_export.tf_export("name")(inner), inner)

    def test_deprecated_functions_warn(self):
        @deprecation.deprecated("2020-01-01", "Use another.")
        def old():
            return 1

        @deprecation.deprecated_args(None, "Leave it out.", "b")
        @deprecation.deprecated_arg_values(None, "Take 2.", a=1)
        def half(a, b=None):
            return a

        with mock.patch.object(tf.logging, "warning") as _:
            module = sys.modules["troupe._src.api.source_utilities"]
            with mock.patch.object(module.logging, "warning") as warning:
                self.assertEqual([old(), old(), half(1), half(2, b=3), half(2)], [1, 1, 1, 2, 2])
                texts = [call[0][0] % call[0][1:] for call in warning.call_args_list]
                with deprecation.silence():
                    half(1, b=2)
                self.assertLen(warning.call_args_list, 3)
        self.assertIn("after 2020-01-01", texts[0])
        self.assertIn("The argument 'a'", texts[1])
        self.assertIn("The argument 'b'", texts[2])
        self.assertEqual(deprecation.deprecated_argument_lookup("n", None, "o", 3), 3)
        with self.assertRaises(ValueError):
            deprecation.deprecated_argument_lookup("n", 1, "o", 3)

    def test_names_of_docstrings_are_kept(self):
        module = types.ModuleType("documented", "Names.\n\n@@one\n@@missing\n")
        module.one, module.two = 1, 2
        with mock.patch.dict(sys.modules, documented=module):
            self.assertEqual(all_util.make_all("documented"), ["one"])
            all_util.remove_undocumented("documented")
        self.assertEqual([name for name in vars(module) if name[0] != "_"], ["one"])


class PlacesTest(tf.test.TestCase):
    def test_all_ops_have_functions(self):
        self.assertIs(gen_nn_ops.max_pool_grad, tf.raw_ops.MaxPoolGrad.__wrapped__)
        self.assertIs(gen_nn_ops.conv2d_backprop_input, tf.raw_ops.Conv2DBackpropInput.__wrapped__)
        self.assertIs(gen_math_ops.mul, tf.raw_ops.Mul.__wrapped__)
        self.assertIs(training_ops.resource_apply_adam, tf.raw_ops.ResourceApplyAdam.__wrapped__)
        with self.assertRaises(AttributeError):
            gen_nn_ops.no_such_op

    def test_all_names_of_a_module_are_imported_but_those_of_builtins(self):
        found = run("""
            from tensorflow.python.ops.rnn_cell import *
            from tensorflow.python.ops.math_ops import *
            import tensorflow as tf
            print(RNNCell is tf.nn.rnn_cell.RNNCell, reduce_sum is tf.reduce_sum, abs(-1) == 1)
            print("placeholder" in globals())
        """)
        self.assertEqual(found, ["True", "True", "True", "False"])

    def test_contributed_modules_have_places(self):
        found = run("""
            import tensorflow as tf
            from tensorflow.contrib.framework.python.ops import add_arg_scope, arg_scope
            from tensorflow.contrib.layers.python.layers import batch_norm, utils
            from tensorflow.contrib.rnn.python.ops.core_rnn import static_rnn
            print(arg_scope is tf.contrib.framework.arg_scope)
            print(batch_norm is tf.contrib.layers.batch_norm)
            print(utils.last_dimension is tf.contrib.layers.utils.last_dimension)
            print(static_rnn is tf.contrib.rnn.static_rnn)
            print(tf.contrib.layers.python.layers.conv2d is tf.contrib.layers.conv2d)
            from tensorflow.contrib.layers.python.layers import summaries
            from tensorflow.python import tf2
            from tensorflow.python.tpu.ops import tpu_ops
            print(summaries.summarize_weights is tf.contrib.layers.summaries.summarize_weights)
            print(tf2.enabled() is False)
            print(tpu_ops.cross_replica_sum is tf.contrib.tpu.cross_replica_sum)
            for name in ("contrib.no.python", "contrib.rnn.python.ops.no"):
                try:
                    __import__("tensorflow." + name)
                except ImportError:
                    print(True)
        """)
        self.assertEqual(found, ["True"] * 10)


class OperatorsTest(tf.test.TestCase):
    def test_classes_of_programs_get_the_operators_of_tensors(self):
        class Holder:
            def __init__(self, tensor):
                self.tensor = tensor

        for name in tf.Tensor.OVERLOADABLE_OPERATORS:
            method = getattr(tf.Tensor, name)
            setattr(Holder, name, lambda self, *args, f=method: f(self.tensor, *args))
        with tf.Session() as session:
            self.assertAllEqual(session.run((Holder(tf.constant([3, 4])) + 1)[1:]), [5])
            self.assertAllEqual(session.run(2 - Holder(tf.constant(3))), -1)

    def test_tensors_and_nodes_have_attributes_of_programs(self):
        tensor = tf.constant(1.0)
        tensor.weights, tensor.op.note = [1], "x"
        again = tensor.graph.get_tensor_by_name(tensor.name)
        self.assertEqual((again.weights, again.op.note), ([1], "x"))


class Pair:
    """Two tensors."""

    def __init__(self, one, other):
        self.one, self.other = one, other


class ConversionsTest(tf.test.TestCase):
    def test_sessions_fetch_and_feed_what_is_registered(self):
        register = client_session.register_session_run_conversion_functions
        register(
            Pair,
            lambda pair: ([pair.one, pair.other], lambda values: sum(values)),
            lambda pair, value: [(pair.one, value[0]), (pair.other, value[1])],
        )
        with self.assertRaisesRegex(ValueError, "already been registered"):
            register(Pair, lambda pair: ([], None))
        pair = Pair(tf.placeholder(tf.float32), tf.placeholder(tf.float32))
        with tf.Session() as session:
            found = session.run({"sum": pair, "one": pair.one}, {pair: (2.0, 3.0)})
        self.assertEqual(found, {"sum": 5.0, "one": 2.0})


if __name__ == "__main__":
    unittest.main()
