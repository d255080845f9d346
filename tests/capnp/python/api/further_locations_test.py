"""Modules that programs import by their place in TensorFlow's source."""

import subprocess
import sys
import unittest

import numpy as np

import troupe as tf
from troupe.contrib import keras as contrib_keras
from troupe.core.framework import op_def_pb2
from troupe.python import array_ops, control_flow_ops, math_ops, state_ops
from troupe.python.estimator import util
from troupe.python.estimator.canned import prediction_keys
from troupe.python.framework import op_def_registry
from troupe.python.keras import backend_config
from troupe.python.keras.engine import input_spec
from troupe.python.keras.layers import convolutional, pooling
from troupe.python.keras.saving import hdf5_format, model_config
from troupe.python.keras.utils import conv_utils, generic_utils, tf_utils
from troupe.python.ops import list_ops, nn_ops, summary_ops_v2
from troupe.python.tools import saved_model_utils
from troupe.python.training import evaluation
from troupe.python.training.tracking import base, data_structures
from troupe.python.util import decorator_utils, deprecation, serialization
from troupe.python.util.tf_export import keras_export

_ESTIMATORS = """
import troupe.as_tensorflow
import tensorflow as tf
from tensorflow_estimator.python.estimator import estimator
from tensorflow_estimator.python.estimator.canned import dnn
from tensorflow_estimator.python.estimator.head import binary_class_head
from tensorflow_estimator.contrib.estimator.python.estimator import head
print(estimator.Estimator is tf.estimator.Estimator)
print(dnn.DNNClassifier is tf.estimator.DNNClassifier)
print(binary_class_head.BinaryClassHead is tf.estimator.BinaryClassHead)
print(head.multi_class_head is tf.contrib.estimator.multi_class_head)
"""


class FurtherLocationsTest(tf.test.TestCase):
    def test_modules_are_names_of_the_package_too(self):
        self.assertIs(math_ops.add, tf.math.add)
        self.assertIs(array_ops.concat, tf.concat)
        self.assertIs(control_flow_ops.cond, tf.cond)
        self.assertIs(state_ops.assign, tf.assign)
        self.assertIs(contrib_keras.layers.Dense, tf.keras.layers.Dense)
        self.assertEqual(backend_config.epsilon(), 1e-7)
        self.assertIs(model_config.model_from_json, tf.keras.models.model_from_json)
        self.assertTrue(callable(hdf5_format.load_weights_from_hdf5_group))
        self.assertTrue(callable(saved_model_utils.read_saved_model))
        self.assertIs(evaluation._StopAfterNEvalsHook, tf.contrib.training.StopAfterNEvalsHook)
        self.assertIs(summary_ops_v2.scalar, tf.contrib.summary.scalar)
        self.assertEqual(util.fn_args(lambda features, mode: None), ("features", "mode"))
        self.assertEqual(prediction_keys.PredictionKeys.LOGITS, "logits")

        @keras_export("keras.anything")
        def exported():
            return 1

        self.assertEqual(exported(), 1)

    def test_decorators_write_notices_into_docstrings(self):
        made = decorator_utils.add_notice_to_docstring(
            "Adds.\n\n      Args:\n        x: A number.\n    ", "Use `add`.", "None.", "(old)",
            ["It goes.", "Soon."],
        )  # fmt: skip
        self.assertEqual(made, "Adds. (old)\n\nWarning: It goes.\nSoon.\nUse `add`.\n\nArgs:\n"
                         "  x: A number.")  # fmt: skip
        self.assertEqual(
            decorator_utils.add_notice_to_docstring("", "", "None.", "", ["Old."]),
            "None.\n\nWarning: Old.",
        )
        with self.assertRaisesRegex(ValueError, "must not be empty"):
            decorator_utils.add_notice_to_docstring("", "", "None.", "", [])
        with self.assertRaisesRegex(ValueError, "@lazy"):
            decorator_utils.validate_callable(3, "lazy")
        self.assertEqual(decorator_utils._normalize_docstring("\n  a \n    b\n"), "a\n  b")

        class Kind:
            @decorator_utils.classproperty
            def size(cls):
                return cls.__name__

            def method(self):
                return deprecation._call_location()

        self.assertEqual((Kind.size, Kind().size), ("Kind", "Kind"))
        name = decorator_utils.get_qualified_name(Kind.method)
        self.assertTrue(name.endswith("Kind.method"), name)
        self.assertRegex(Kind().method(), r"further_locations_test\.py:\d+$")
        deprecation._validate_deprecation_args("2018-09-30", "Use `add`.")
        for date, instructions in (("soon", "Use `add`."), (None, "")):
            with self.assertRaises(ValueError):
                deprecation._validate_deprecation_args(date, instructions)

    def test_estimators_are_in_their_own_package(self):
        found = subprocess.run(
            [sys.executable, "-c", _ESTIMATORS], stdout=subprocess.PIPE, check=True
        ).stdout
        self.assertEqual(found.split(), [b"True"] * 4)

    def test_names_of_keras_that_have_others_there(self):
        self.assertEqual(generic_utils.to_snake_case("SeparableConv2D"), "separable_conv2d")
        self.assertEqual(conv_utils.convert_data_format("channels_first", 4), "NCHW")
        self.assertEqual(conv_utils.normalize_data_format(None), "channels_last")
        self.assertIsInstance(tf.keras.layers.Conv2D(1, 1), convolutional.Conv)
        self.assertIsInstance(tf.keras.layers.MaxPool2D(), pooling.Pooling2D)
        self.assertIs(input_spec.InputSpec, tf.keras.layers.InputSpec)
        self.assertIs(tf_utils.constant_value(1), True)
        self.assertTrue(tf_utils.is_symbolic_tensor(tf.constant(1)))

        class Doubled(tf.keras.layers.Layer):
            @tf_utils.shape_type_conversion
            def compute_output_shape(self, input_shape):
                return (*input_shape[:-1], 2 * input_shape[-1])

        self.assertEqual(Doubled().compute_output_shape((None, 3)).as_list(), [None, 6])

    def test_ops_are_messages(self):
        known = op_def_registry.get_registered_ops()["Concat"]
        self.assertIsInstance(known, op_def_pb2.OpDef)
        self.assertEqual([each.name for each in known.input_arg], ["concat_dim", "values"])
        self.assertEqual(known.input_arg[1].number_attr, "N")
        self.assertEqual(known.output_arg[0].type_attr, "T")
        self.assertEqual({each.name: each.type for each in known.attr}, {"N": "int", "T": "type"})

    def test_convolutions_of_fixed_shapes(self):
        x, filters = tf.ones([2, 5, 5, 2]), tf.ones([3, 3, 2, 1])
        convolve = nn_ops.Convolution(x.shape, filters.shape, padding="VALID", strides=[2, 2])
        found = convolve(x, filters)
        self.assertAllEqual(self.evaluate(found), np.full([2, 2, 2, 1], 18))

    def test_values_for_json(self):
        self.assertEqual(serialization.get_json_type(np.float32(1)), 1.0)
        self.assertEqual(serialization.get_json_type(np.arange(3)), [0, 1, 2])
        self.assertEqual(serialization.get_json_type(tf.TensorShape([None, 2])), [None, 2])
        self.assertEqual(serialization.get_json_type(len), "len")
        found = serialization.get_json_type(tf.keras.layers.Dense(2))
        self.assertEqual((found["class_name"], found["config"]["units"]), ("Dense", 2))
        with self.assertRaisesRegex(TypeError, "Not JSON Serializable"):
            serialization.get_json_type([1])

    def test_lengths_of_transposed_convolutions(self):
        for arguments, expected in (
            ((4, 3, "valid", None, 2), 9), ((4, 3, "same", None, 2), 8),
            ((4, 3, "full", None, 2), 5), ((4, 3, "same", 1, 2), 8), ((None, 3, "same"), None),
        ):  # fmt: skip
            self.assertEqual(conv_utils.deconv_output_length(*arguments), expected)

    def test_lists_of_tensors(self):
        rows = list_ops.tensor_list_from_tensor(tf.constant([[1.0, 2.0], [3.0, 4.0]]), [2])
        rows = list_ops.tensor_list_push_back(rows, tf.constant([5.0, 6.0]))
        found = list_ops.tensor_list_stack(rows, tf.float32, element_shape=tf.TensorShape([2]))
        one = list_ops.tensor_list_get_item(rows, 1, tf.float32)
        some = list_ops.tensor_list_gather(rows, [2, 0], tf.float32)
        empty = list_ops.empty_tensor_list(tf.TensorShape([None]), tf.float32)
        rest, last = list_ops.tensor_list_pop_back(rows, tf.float32)
        reserved = list_ops.tensor_list_reserve([2], 3, tf.float32)
        lengths = [list_ops.tensor_list_length(each) for each in (rows, empty, rest, reserved)]
        self.assertAllEqual(self.evaluate(found), [[1, 2], [3, 4], [5, 6]])
        self.assertAllEqual(self.evaluate(one), [3, 4])
        self.assertAllEqual(self.evaluate(some), [[5, 6], [1, 2]])
        self.assertAllEqual(self.evaluate(last), [5, 6])
        self.assertEqual(self.evaluate(lengths), [3, 0, 2, 3])

    def test_attributes_that_are_not_saved(self):
        class Holder(tf.Module):
            @base.no_automatic_dependency_tracking
            def hide(self):
                self.hidden = [tf.Variable(1.0)]

        holder = Holder()
        holder.hide()
        holder.other = data_structures.NoDependency([tf.Variable(2.0)])
        holder.shown = tf.Variable(3.0)
        self.assertEqual([name for name, _ in holder._checkpoint_dependencies], ["shown"])
        self.assertIsInstance(holder.hidden, list)


if __name__ == "__main__":
    unittest.main()
