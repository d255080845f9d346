"""Variables of models: filters, devices, zeros, and what checkpoints have for them."""

import os
import tempfile
import unittest

import numpy as np

import troupe as tf

framework = tf.contrib.framework


class FilteredVariablesTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        names = ("conv1/weights", "conv1/biases", "conv2/weights", "clip/biases")
        self.variables = [tf.get_variable(name, []) for name in names]

    def names(self, *args, **kwargs):
        found = framework.filter_variables(self.variables, *args, **kwargs)
        return [each.op.name for each in found]

    def test_patterns_include_and_exclude_names(self):
        self.assertEqual(len(self.names()), 4)
        self.assertEqual(self.names(["conv1"], ["biases"]), ["conv1/weights"])
        self.assertEqual(self.names(["biases", "clip"]), ["conv1/biases", "clip/biases"])
        self.assertEqual(self.names(exclude_patterns=["conv"]), ["clip/biases"])

    def test_patterns_may_match_from_the_beginning_only(self):
        self.assertEqual(self.names(["biases"], reg_search=False), [])
        self.assertEqual(self.names([".*biases"], reg_search=False)[-1], "clip/biases")


class ChosenDevicesTest(unittest.TestCase):
    def test_parameter_servers_are_taken_in_turn(self):
        chooser = framework.VariableDeviceChooser(2)
        found = [chooser(None) for _ in range(3)]
        self.assertEqual(found[0], "/job:ps/task:0/device:CPU:0")
        self.assertEqual(found[1], "/job:ps/task:1/device:CPU:0")
        self.assertEqual(found[2], found[0])

    def test_without_parameter_servers_it_is_the_device(self):
        chooser = framework.VariableDeviceChooser(device_type="GPU", device_index=1)
        self.assertEqual(chooser(None), "/device:GPU:1")

    def test_variables_are_on_its_devices(self):
        tf.reset_default_graph()
        with framework.arg_scope(
            [framework.variable], device=framework.VariableDeviceChooser(2)
        ):
            a, b = framework.variable("a", []), framework.variable("b", [])
        self.assertEqual((a.device[-19:], b.device[-19:]), ("task:0/device:CPU:0",
                                                            "task:1/device:CPU:0"))  # fmt: skip


class ZerosTest(unittest.TestCase):
    def test_a_variable_without_a_value_gets_zeros(self):
        for use_resource in (False, True):
            tf.reset_default_graph()
            variable = tf.Variable(tf.ones([2, 3]), use_resource=use_resource)
            zeros = framework.zero_initializer(variable)
            with tf.Session() as session:
                session.run(zeros)
                self.assertEqual(session.run(variable).tolist(), [[0] * 3] * 2)

    def test_a_variable_with_a_value_is_an_error(self):
        tf.reset_default_graph()
        variable = tf.Variable([1, 2])
        zeros = framework.zero_initializer(variable)
        with tf.Session() as session:
            session.run(variable.initializer)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "already initialized"):
                session.run(zeros)
            self.assertEqual(session.run(variable).tolist(), [1, 2])

    def test_a_global_step_is_checked_or_found(self):
        tf.reset_default_graph()
        self.assertIsNone(framework.assert_or_get_global_step())
        step = tf.train.create_global_step()
        self.assertIs(framework.assert_or_get_global_step(), step)
        self.assertIs(framework.assert_or_get_global_step(global_step_tensor=step), step)
        with self.assertRaises(TypeError):
            framework.assert_or_get_global_step(global_step_tensor=tf.constant(1.5))


class CheckpointsTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "model")
        tf.Variable([[1.0, 2.0]], name="v0")
        tf.Variable(np.arange(12, dtype=np.float32).reshape(4, 3), name="whole")
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            tf.train.Saver().save(session, self.path)
        tf.reset_default_graph()

    def restored(self, function, *variables):
        with tf.Session() as session:
            function(session)
            return session.run(list(variables))

    def test_values_are_reshaped_where_that_is_asked_for(self):
        v0 = tf.Variable([[8.0], [9.0]], name="v0")
        restore = framework.assign_from_checkpoint_fn(self.path, [v0], reshape_variables=True)
        self.assertEqual(self.restored(restore, v0)[0].tolist(), [[1], [2]])

    def test_values_of_other_shapes_are_an_error_of_the_step(self):
        v0 = tf.Variable([[8.0], [9.0]], name="v0")
        restore = framework.assign_from_checkpoint_fn(self.path, [v0])
        with self.assertRaises(tf.errors.InvalidArgumentError):
            self.restored(restore)

    def test_missing_variables_are_an_error_of_the_step(self):
        other = tf.Variable([1.0], name="other")
        restore = framework.assign_from_checkpoint_fn(self.path, [other])
        with self.assertRaises(tf.errors.NotFoundError):
            self.restored(restore)

    def test_missing_variables_may_be_left_out(self):
        v0, other = tf.Variable([[8.0, 9.0]], name="v0"), tf.Variable([7.0], name="other")
        restore = framework.assign_from_checkpoint_fn(
            self.path, [v0, other], ignore_missing_vars=True
        )
        with tf.Session() as session:
            session.run(other.initializer)
            restore(session)
            self.assertEqual(session.run(v0).tolist(), [[1, 2]])
            self.assertEqual(session.run(other).tolist(), [7])
        with self.assertRaises(ValueError):
            framework.assign_from_checkpoint_fn(self.path, [])
        self.assertIsNone(framework.assign_from_checkpoint_fn(self.path, [other], True))

    def test_one_value_goes_to_several_variables(self):
        a, b = tf.Variable([[0.0, 0.0]], name="a"), tf.Variable([[0.0, 0.0]], name="b")
        restore = framework.assign_from_checkpoint_fn(self.path, {"v0": [a, b]})
        found = self.restored(restore, a, b)
        self.assertEqual([each.tolist() for each in found], [[[1, 2]], [[1, 2]]])

    def test_parts_get_their_parts(self):
        parts = tf.get_variable(
            "whole", [4, 3], partitioner=tf.fixed_size_partitioner(2),
            initializer=tf.zeros_initializer,
        )
        names = [framework.get_variable_full_name(part) for part in parts]
        self.assertEqual(names, ["whole", "whole"])
        wanted = np.arange(12.0).reshape(4, 3).tolist()
        for given in (list(parts), {"whole": list(parts)}, [parts]):
            op, feeds = framework.assign_from_checkpoint(self.path, given)
            with tf.Session() as session:
                session.run(op, feeds)
                self.assertEqual(session.run(tf.convert_to_tensor(parts)).tolist(), wanted)
            restore = framework.assign_from_checkpoint_fn(self.path, given, True)
            found = self.restored(restore, tf.convert_to_tensor(parts))
            self.assertEqual(found[0].tolist(), wanted)

    def test_a_variable_that_is_whole_has_its_own_name(self):
        with tf.variable_scope("scope"):
            variable = tf.get_variable("v", [])
        self.assertEqual(framework.get_variable_full_name(variable), "scope/v")


if __name__ == "__main__":
    unittest.main()
