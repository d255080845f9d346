"""What programs written for TensorFlow 1 rely on, in small things."""

import os
import unittest

import numpy as np

import troupe as tf


class GlobalStepTest(tf.test.TestCase):
    def test_a_variable_of_that_name_is_the_global_step(self):
        step = tf.Variable(3, trainable=False, name="global_step")
        self.assertIs(tf.train.get_global_step(), step)
        self.assertIs(tf.train.get_or_create_global_step(), step)
        with self.assertRaisesRegex(ValueError, "already exists"):
            tf.train.create_global_step()

    def test_a_tensor_of_that_name_is_one_too(self):
        tf.constant(3, name="global_step")
        self.assertEqual(tf.train.get_global_step().name, "global_step:0")

    def test_what_is_no_number_of_steps_is_refused(self):
        tf.Variable(3.0, name="global_step")
        with self.assertRaisesRegex(TypeError, "integer"):
            tf.train.get_global_step()

    def test_a_step_counted_by_an_optimizer_may_have_been_found_by_name(self):
        tf.Variable(3, trainable=False, name="global_step")
        w = tf.Variable(1.0)
        train = tf.train.GradientDescentOptimizer(0.5).minimize(w, tf.train.get_global_step())
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(train)
            self.assertEqual(tf.train.global_step(session, tf.train.get_global_step()), 4)


class ShapesTest(unittest.TestCase):
    def test_dimensions_are_compared_and_computed_with(self):
        four, unknown = tf.Dimension(4), tf.Dimension(None)
        self.assertEqual([10 - four, 9 // four, 9 % four, four + 1], [6, 2, 1, 5])
        self.assertTrue(four < 5 and four >= 4 and 3 < four)
        self.assertIsNone(four < unknown)
        self.assertEqual(unknown.merge_with(four), 4)
        with self.assertRaisesRegex(TypeError, "//"):
            four / 2
        with self.assertRaises(ValueError):
            four.merge_with(5)

    def test_an_unknown_dimension_is_neither_equal_to_a_size_nor_unequal(self):
        unknown = tf.Dimension(None)
        for compared in (unknown == 3, unknown != 3, tf.Dimension(3) != unknown, unknown == None):
            self.assertIsNone(compared)
        self.assertTrue(tf.Dimension(12) == "12" and tf.Dimension(12) == 12.0)
        self.assertTrue(tf.Dimension(12) != 12.5 and unknown != "_")

    def test_dimensions_are_factors_of_lists_and_operands_of_tensors(self):
        three = tf.Dimension(3)
        self.assertEqual(three * [4], [4, 4, 4])
        with tf.Session() as session:
            self.assertEqual(session.run([three * tf.constant(2), three - tf.constant(1)]), [6, 2])
        with self.assertRaises(TypeError):
            three * 2.5
        with self.assertRaises(ValueError):
            tf.Dimension(2.5)

    def test_shapes_are_messages_and_made_of_messages(self):
        for sizes in ([], [1, None, 3], None):
            message = tf.TensorShape(sizes).as_proto()
            self.assertEqual(message.unknown_rank, sizes is None)
            self.assertEqual(tf.TensorShape(message), tf.TensorShape(sizes))
        self.assertEqual([dim.size for dim in tf.TensorShape([1, None]).as_proto().dim], [1, -1])
        self.assertEqual(tf.placeholder(tf.int32, message).shape.rank, None)
        self.assertFalse(tf.TensorShape([1, 2]) == "12")

    def test_shapes_are_checked_for_their_rank(self):
        shape, unknown = tf.TensorShape([2, None]), tf.TensorShape(None)
        self.assertEqual(unknown.with_rank(2).as_list(), [None, None])
        self.assertEqual(unknown[1:3].as_list(), [None, None])
        self.assertEqual(shape.most_specific_compatible_shape([3, 4]).as_list(), [None, None])
        for check in (
            lambda: shape.with_rank(3), lambda: shape.with_rank_at_least(3),
            lambda: shape.with_rank_at_most(1), lambda: shape.assert_has_rank(1),
            lambda: shape.assert_same_rank([1]), lambda: shape.assert_is_compatible_with([3, 4]),
        ):  # fmt: skip
            self.assertRaises(ValueError, check)

    def test_sums_of_shapes_have_the_dimensions_of_both(self):
        shape = tf.TensorShape([None, 2])
        self.assertEqual((shape + [3]).as_list(), [None, 2, 3])
        self.assertEqual(([3] + shape).as_list(), [3, None, 2])
        self.assertEqual(((1,) + shape[1:] + tf.TensorShape([4])).as_list(), [1, 2, 4])
        self.assertIsNone((shape + tf.TensorShape(None)).rank)


class DevicesTest(tf.test.TestCase):
    def test_names_of_devices_have_parts(self):
        spec = tf.DeviceSpec.from_string("/job:ps/replica:0/task:2/cpu:*")
        self.assertEqual(spec.to_string(), "/job:ps/replica:0/task:2/device:CPU:*")
        merged = spec.make_merged_spec(tf.DeviceSpec(job="worker", device_index=1))
        self.assertEqual(merged.to_string(), "/job:worker/replica:0/task:2/device:CPU:1")
        self.assertEqual(spec.replace(task=None).task, None)
        self.assertRaises(ValueError, tf.DeviceSpec.from_string, "/job")
        with tf.device(tf.DeviceSpec(job="ps", task=1)):
            self.assertEqual(tf.no_op().device, "/job:ps/task:1")

    def test_a_device_function_sees_the_node(self):
        seen = []

        def choose(op):
            seen.append((op.type, op.name, [i.name for i in op.inputs], op.node_def.op))
            return tf.DeviceSpec(job="ps")

        x = tf.placeholder(tf.float32, name="x")
        with tf.device(choose), tf.name_scope("s"):
            self.assertEqual(tf.negative(x, name="y").device, "/job:ps")
        self.assertEqual(seen, [("Neg", "s/y", ["x:0"], "Neg")])

    def test_variables_are_reported_inside_of_a_device_setter(self):
        tf.Variable([1.0], name="v")
        with tf.device(tf.train.replica_device_setter(2)):
            names = tf.report_uninitialized_variables()
        self.assertEqual(names.device, "")
        with tf.Session() as session:
            self.assertEqual(list(session.run(names)), [b"v"])
            session.run(tf.global_variables_initializer())
            self.assertEqual(list(session.run(names)), [])


class VariablesTest(tf.test.TestCase):
    def test_an_initial_value_may_be_that_of_another_variable(self):
        first = tf.Variable(tf.random_uniform([3]), name="first")
        second = tf.Variable(first.initialized_value() * 2)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertAllClose(session.run(first) * 2, session.run(second))
            session.run(first.assign([1, 2, 3]))
            session.run(second.initializer)
            self.assertAllEqual(session.run(second), [2, 4, 6])

    def test_an_unknown_keyword_is_an_error(self):
        with self.assertRaises(TypeError):
            tf.Variable(1.0, trianable=False)

    def test_an_option_without_effect_is_named_once(self):
        with self.assertLogs("troupe", "WARNING") as logs:
            tf.train.Supervisor(session_manager=object())
            tf.train.Supervisor(session_manager=object())
        self.assertEqual(len(logs.output), 1)
        self.assertIn("session_manager", logs.output[0])

    def test_a_cached_variable_is_read_once_a_step(self):
        def total_of(v):
            def body(i, total):
                with tf.control_dependencies([v.assign_add(1.0)]):
                    return i + 1, total + v

            start = [0, v * 0.0]  # so the cached value is that before the loop
            loop = tf.while_loop(lambda i, _: i < 3, body, start, parallel_iterations=1)
            with tf.Session() as session:
                session.run(v.initializer)
                return session.run(loop)[1]

        with tf.variable_scope("cached", caching_device="/cpu:0"):
            self.assertEqual(total_of(tf.get_variable("v", initializer=1.0)), 3)
        with tf.variable_scope("read"):
            self.assertEqual(total_of(tf.get_variable("v", initializer=1.0)), 9)

    def test_an_assertion_fails_where_a_variable_has_no_value(self):
        self.assertIsNone(tf.assert_variables_initialized([]))
        variable = tf.Variable([1.0])
        check = tf.assert_variables_initialized()
        with tf.Session() as session:
            with self.assertRaises(tf.errors.FailedPreconditionError):
                session.run(check)
            session.run(variable.initializer)
            session.run(check)


class OptimizerTest(tf.test.TestCase):
    def test_slots_are_those_of_the_first_call(self):
        w = tf.Variable([1.0])
        optimizer = tf.train.AdamOptimizer(0.1)
        pairs = optimizer.compute_gradients(tf.reduce_sum(w * w))
        first = optimizer.apply_gradients(pairs)
        count = len(tf.global_variables())
        second = optimizer.apply_gradients(pairs)
        self.assertEqual(len(tf.global_variables()), count)
        self.assertEqual(tf.get_collection(tf.GraphKeys.TRAIN_OP), [first, second])

    def test_a_loss_may_be_a_function_and_what_it_depends_on_a_tensor(self):
        w = tf.Variable([1.0])
        x = tf.constant(2.0)
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        pairs = optimizer.compute_gradients(lambda: tf.reduce_sum(w * x), [w, x])
        with tf.Session() as session:
            session.run(w.initializer)
            self.assertAllClose(session.run([g for g, _ in pairs]), [[2.0], 1.0])
        with self.assertRaises(NotImplementedError):
            optimizer.apply_gradients(pairs)

    def test_state_is_that_of_the_default_graph(self):
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
        for _ in range(2):
            with tf.Graph().as_default():
                optimizer.minimize(tf.Variable(1.0) * 2.0)
                self.assertEqual(len(optimizer.variables()), 1)


class TrainingTest(tf.test.TestCase):
    def test_a_nan_ends_a_training_with_an_error_of_its_own(self):
        tf.train.create_global_step()
        loss = tf.constant(np.nan)
        with self.assertRaises(tf.train.NanLossDuringTrainingError) as caught:
            with tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(loss)]) as session:
                session.run(loss)
        self.assertIsInstance(caught.exception, RuntimeError)
        with tf.Graph().as_default():
            loss = tf.constant(np.nan)
            with tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(loss, False)]) as session:
                session.run(loss)
                self.assertTrue(session.should_stop())

    def test_a_local_init_op_may_be_a_list(self):
        local = tf.Variable(1.0, collections=[tf.GraphKeys.LOCAL_VARIABLES])
        scaffold = tf.train.Scaffold(local_init_op=[local.initializer, [tf.no_op()]])
        with tf.train.MonitoredTrainingSession(scaffold=scaffold) as session:
            self.assertEqual(session.run(local), 1)

    def test_soft_placement_runs_what_asks_for_a_gpu(self):
        with tf.device("/gpu:0"):
            x = tf.constant(2.0) * 3.0
            v = tf.Variable(1.0)
        with self.assertRaises(tf.errors.InvalidArgumentError), tf.Session() as session:
            session.run(x)
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
            session.run(v.initializer)
            self.assertEqual(session.run([x, v]), [6, 1])


class FilesTest(tf.test.TestCase):
    def test_errors_of_files_are_those_of_steps(self):
        folder = self.get_temp_dir()
        none = os.path.join(folder, "none")
        for call in (
            lambda: tf.gfile.GFile(none).read(), lambda: tf.gfile.Remove(none),
            lambda: tf.gfile.Stat(none), lambda: tf.io.gfile.listdir(none),
            lambda: tf.io.gfile.rmtree(none), lambda: tf.io.gfile.copy(none, none + "2"),
        ):  # fmt: skip
            self.assertRaises(tf.errors.NotFoundError, call)
        with tf.gfile.GFile(none, "w") as file:
            file.write("one\ntwo\n")
            self.assertRaises(tf.errors.PermissionDeniedError, file.read)
        self.assertEqual(list(tf.gfile.Open(none)), ["one\n", "two\n"])
        self.assertEqual(tf.gfile.GFile(none, "rb").readline(), b"one\n")
        self.assertRaises(tf.errors.AlreadyExistsError, tf.gfile.MkDir, folder)
        self.assertRaises(tf.errors.InvalidArgumentError, tf.gfile.GFile, none, "x")


class NestTest(unittest.TestCase):
    def test_structures_are_taken_apart_and_made_again(self):
        nested = {"b": [1, (2, 3)], "a": 4}
        self.assertEqual(tf.nest.flatten(nested), [4, 1, 2, 3])
        made = tf.nest.pack_sequence_as(nested, [5, 6, 7, 8])
        self.assertEqual(made, {"b": [6, (7, 8)], "a": 5})
        doubled = tf.nest.map_structure(lambda x, y: x + y, nested, made)
        self.assertEqual(doubled, {"b": [7, (9, 11)], "a": 9})
        self.assertTrue(tf.nest.is_nested([]) and not tf.nest.is_nested("text"))

    def test_sparse_tensors_are_leaves_or_several_tensors(self):
        with tf.Graph().as_default():
            sparse = tf.SparseTensor([[0]], [1.0], [3])
            self.assertEqual(tf.nest.flatten([sparse]), [sparse])
            parts = tf.nest.flatten([sparse], expand_composites=True)
            self.assertEqual(len(parts), 3)
            (again,) = tf.nest.pack_sequence_as([sparse], parts, expand_composites=True)
            self.assertIs(again.values, sparse.values)

    def test_structures_that_differ_are_refused(self):
        same = tf.nest.assert_same_structure
        self.assertRaises(ValueError, same, [1], 1)
        self.assertRaises(ValueError, same, [1], [1, 2])
        self.assertRaises(ValueError, same, {"a": 1}, {"b": 1})
        self.assertRaises(TypeError, same, [1], (1,))
        same([1], (1,), check_types=False)
        self.assertRaises(ValueError, tf.nest.pack_sequence_as, [1, 2], [1])
        self.assertRaises(TypeError, tf.nest.pack_sequence_as, [1, 2], 1)
        self.assertRaises(ValueError, tf.nest.map_structure, abs, [1], check=1)


class ValuesTest(tf.test.TestCase):
    def test_versions_are_those_of_tensorflow(self):
        self.assertRegex(tf.__version__, "^1[.]15[.]")
        self.assertEqual((tf.VERSION, tf.version.VERSION), (tf.__version__, tf.__version__))
        self.assertIn(tf.version.TROUPE_VERSION, tf.__git_version__)

    def test_sizes_become_integers(self):
        self.assertIs(tf.convert_to_tensor(tf.TensorShape([])).dtype, tf.int32)
        self.assertIs(tf.convert_to_tensor(tf.TensorShape([2**31])).dtype, tf.int64)
        with self.assertRaises(ValueError):
            tf.convert_to_tensor(tf.TensorShape([None]))

    def test_bytes_and_texts_may_be_mixed(self):
        with tf.Session() as session:
            self.assertAllEqual(session.run(tf.constant(["a", b"\xff"])), [b"a", b"\xff"])

    def test_a_reduction_of_everything_is_a_scalar(self):
        x = tf.placeholder(tf.float32)
        self.assertEqual(tf.reduce_sum(x).shape, ())
        self.assertEqual(tf.reduce_all([]).shape, ())

    def test_a_wrong_axis_of_softmax_is_an_error_at_once(self):
        for axis in (2, -3, tf.constant(5)):
            with self.assertRaises(tf.errors.InvalidArgumentError):
                tf.nn.softmax(tf.ones([2, 3]), axis=axis)


if __name__ == "__main__":
    unittest.main()
