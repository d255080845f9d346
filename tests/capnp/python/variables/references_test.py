"""Variables of references: made by VariableV2, written by Assign, trained and saved as others."""

import pickle
import tempfile
import unittest

import numpy as np

import troupe as tf


def variable(value, **options):
    return tf.Variable(value, use_resource=False, **options)


class RefVariableTest(tf.test.TestCase):
    def test_its_ops_are_those_of_references(self):
        v = variable([1.0, 2.0], name="v")
        self.assertEqual((v.op.type, v.op.name, v.name), ("VariableV2", "v", "v:0"))
        self.assertEqual((v.initializer.type, v.value().op.type), ("Assign", "Identity"))
        self.assertEqual([v.assign([0.0, 0.0]).op.type, v.assign_add([0.0, 0.0]).op.type,
                          v.assign_sub([0.0, 0.0], read_value=False).type],
                         ["Assign", "AssignAdd", "AssignSub"])  # fmt: skip
        self.assertIsInstance(v, tf.Variable)
        self.assertIs(tf.get_default_graph().get_operation_by_name("v"), v.op)

    def test_its_dtype_is_one_of_references(self):
        v = variable([1.0, 2.0])
        self.assertEqual((v.dtype.name, str(v.dtype)), ("float32_ref", "<dtype: 'float32_ref'>"))
        self.assertNotEqual(v.dtype, tf.float32)
        self.assertIs(v.dtype.base_dtype, tf.float32)
        self.assertIs(tf.as_dtype(v.dtype), tf.float32)
        self.assertTrue(v.dtype.is_floating and v.dtype.is_compatible_with(tf.float32))
        self.assertEqual((v.dtype.size, v.dtype.as_datatype_enum), (4, 101))
        self.assertIs(pickle.loads(pickle.dumps(v.dtype)), v.dtype)
        self.assertEqual((v + 1.0).dtype, tf.float32)
        self.assertIn("shape=(2,) dtype=float32>", repr(v))

    def test_an_argument_a_scope_or_the_default_says_the_kind(self):
        def kind(**options):
            return tf.get_variable(f"v{len(tf.global_variables())}", [1], **options).op.type

        self.assertTrue(tf.resource_variables_enabled())
        self.assertEqual(kind(), "VarHandleOp")
        with tf.variable_scope("s", use_resource=False):
            self.assertEqual([kind(), kind(use_resource=True)], ["VariableV2", "VarHandleOp"])
            with tf.variable_scope("inner"):
                self.assertEqual(kind(), "VariableV2")
        tf.disable_resource_variables()
        try:
            self.assertEqual([kind(), kind(use_resource=True)], ["VariableV2", "VarHandleOp"])
            self.assertFalse(tf.resource_variables_enabled())
        finally:
            tf.enable_resource_variables()
        self.assertEqual(kind(), "VarHandleOp")

    def test_a_step_reads_before_or_after_an_assignment_as_control_dependencies_say(self):
        v = variable(1.0)
        before = tf.identity(v.read_value())
        with tf.control_dependencies([before]):
            change = tf.assign(v, 5.0)
        with tf.control_dependencies([change]):
            after = v.read_value() * 2.0
        with tf.Session() as session:
            session.run(v.initializer)
            self.assertEqual(session.run([before, change, after]), [1, 5, 10])
            self.assertEqual([v.eval(session), session.run("%s" % v.name)], [5, 5])
            v.load(7.0, session)
            self.assertEqual(session.run(v.assign_sub(3.0)), 4)

    def test_what_follows_an_assignment_sees_it_also_by_a_value_from_before(self):
        v = variable(1.0)
        value = tf.identity(v)

        def body(i, total):
            with tf.control_dependencies([v.assign_add(1.0)]):
                return i + 1, total + v * value

        _, total = tf.while_loop(lambda i, _: i < 3, body, [0, 0.0], parallel_iterations=1)
        with tf.control_dependencies([total]):
            after = v * 1.0
        with tf.Session() as session:
            session.run(v.initializer)
            self.assertEqual(session.run(after), 4)
            self.assertEqual(session.run(total), 5 * 5 + 6 * 6 + 7 * 7)

    def test_an_uninitialized_one_is_named_by_the_error(self):
        v = variable([1.0], name="lonely")
        with tf.Session() as session:
            with self.assertRaisesRegex(tf.errors.FailedPreconditionError, "lonely"):
                session.run(v)
            self.assertAllEqual(session.run(tf.report_uninitialized_variables()), [b"lonely"])

    def test_scattered_updates_write_by_the_reference(self):
        v = variable(np.zeros((3, 2), np.float32))
        update = tf.scatter_update(v, [1], [[1.0, 2.0]])
        add = tf.scatter_add(v, [1, 1], np.ones((2, 2), np.float32))
        nd = tf.scatter_nd_sub(v, [[0, 1]], [4.0])
        self.assertEqual([each.op.type for each in (update, add, nd)],
                         ["ScatterUpdate", "ScatterAdd", "ScatterNdSub"])  # fmt: skip
        raw = tf.raw_ops.ScatterMul(ref=v, indices=[1], updates=10.0)
        count = variable(0)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for step in (update, add, nd, raw):
                session.run(step)
            self.assertAllEqual(v.eval(session), [[0, -4], [30, 40], [0, 0]])
            self.assertEqual(session.run(tf.count_up_to(count, 1)), 0)
            with self.assertRaises(tf.errors.OutOfRangeError):
                session.run(count.count_up_to(1))
            session.run(v[2, 1].assign(9.0))
            self.assertAllEqual(session.run(v.gather_nd([[2, 1]])), [9])
            self.assertAllEqual(session.run(v.sparse_read([2])), [[0, 9]])

    def test_a_reference_may_be_assigned_again(self):
        v = variable([1.0, 2.0])
        twice = tf.assign_add(tf.assign(v, [3.0, 4.0]), [1.0, 1.0])
        with tf.Session() as session:
            session.run(v.initializer)
            self.assertAllEqual(session.run(twice), [4, 5])

    def test_only_without_validation_it_gets_another_shape(self):
        v, free = variable([1.0, 2.0]), variable([1.0, 2.0], validate_shape=False)
        with self.assertRaises(ValueError):
            v.assign([1.0])
        with self.assertRaisesRegex(ValueError, "must have a shape"):
            variable(tf.placeholder(tf.float32))
        self.assertIsNone(free.shape.rank)
        with tf.Session() as session:
            session.run([v.initializer, free.initializer])
            self.assertAllEqual(session.run(tf.assign(free, [[3.0]], validate_shape=False)), [[3]])
            self.assertAllEqual(session.run(free.value()), [[3]])


class TrainingTest(tf.test.TestCase):
    def trained(self, optimizer, use_resource):
        """The values of two variables after three steps, one of which is trained by rows."""
        with tf.Graph().as_default(), tf.variable_scope("m", use_resource=use_resource):
            dense = tf.get_variable("dense", initializer=[1.0, 2.0])
            rows = tf.get_variable("rows", [4, 2], initializer=tf.ones_initializer())
            found = tf.nn.embedding_lookup(rows, [0, 3, 3])
            loss = tf.reduce_sum(found * found) + tf.reduce_sum(dense * dense)
            gradients = tf.gradients(loss, [dense, rows])
            self.assertIsInstance(gradients[1], tf.IndexedSlices)
            step = optimizer().minimize(loss, tf.train.get_or_create_global_step())
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                for _ in range(3):
                    session.run(step)
                return session.run([dense, rows, tf.train.get_global_step()])

    def test_optimizers_train_them_as_they_train_others(self):
        for optimizer in (
            lambda: tf.train.GradientDescentOptimizer(0.1),
            lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
            lambda: tf.train.AdamOptimizer(0.1),
            lambda: tf.train.AdagradOptimizer(0.1),
            lambda: tf.train.RMSPropOptimizer(0.1),
            lambda: tf.train.FtrlOptimizer(0.1),
        ):
            with self.subTest(optimizer().get_name()):
                ours, others = self.trained(optimizer, False), self.trained(optimizer, True)
                for value, expected in zip(ours, others):
                    self.assertAllClose(value, expected)
                self.assertEqual(ours[2], 3)

    def test_checkpoints_do_not_know_the_kind(self):
        with tempfile.TemporaryDirectory() as folder:
            with tf.Graph().as_default(), tf.Session() as session:
                v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=False)
                saver = tf.train.Saver()
                session.run([v.initializer])
                session.run(v.assign([3.0, 4.0]))
                path = saver.save(session, f"{folder}/model")
            for use_resource in (False, True):
                with tf.Graph().as_default(), tf.Session() as session:
                    v = tf.get_variable("v", [2], use_resource=use_resource)
                    tf.train.Saver().restore(session, path)
                    self.assertAllEqual(session.run(v), [3, 4])

    def test_monitored_sessions_initialize_them(self):
        tf.get_variable("v", initializer=[1.0, 2.0], use_resource=False)
        total = tf.reduce_sum(tf.global_variables()[0])
        with tf.train.MonitoredTrainingSession() as session:
            self.assertEqual(session.run(total), 3)

    def test_partitioned_ones(self):
        with tf.variable_scope("s", use_resource=False):
            v = tf.get_variable(
                "v",
                [3],
                initializer=tf.ones_initializer(),
                partitioner=tf.fixed_size_partitioner(2),
            )
        self.assertEqual([part.op.type for part in v], ["VariableV2"] * 2)
        change = v.assign_add(np.float32([1, 2, 3]))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertAllEqual(np.concatenate(session.run(change)), [2, 3, 4])
            self.assertAllEqual(session.run(v.as_tensor()), [2, 3, 4])


if __name__ == "__main__":
    unittest.main()
