"""Names of TensorFlow's source that libraries on top of it use."""

import unittest

import troupe as tf
from troupe.python.ops import init_ops, rnn_cell_impl, variable_scope


class SourceNamesTest(tf.test.TestCase):
    def test_a_pure_variable_scope_enters_no_name_scope(self):
        with variable_scope._pure_variable_scope("s", None, tf.ones_initializer()) as scope:
            v = tf.get_variable("v", [2])
            total = tf.add(v, 1.0, name="total")
        self.assertEqual([scope.name, v.op.name, total.op.name], ["s", "s/v", "total"])
        with variable_scope._pure_variable_scope(scope, reuse=True, old_name_scope="s/"):
            self.assertIs(tf.get_variable("v", [2]), v)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            self.assertAllEqual(session.run(total), [2, 2])

    def test_programs_derive_from_the_class_of_initializers(self):
        class Halves(init_ops.Initializer):
            def __call__(self, shape, dtype=None, partition_info=None):
                return tf.fill(shape, 0.5)

        v = tf.get_variable("v", [2], initializer=Halves())
        self.assertIsInstance(tf.zeros_initializer(), init_ops.Initializer)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            self.assertAllEqual(session.run(v), [0.5, 0.5])

    def test_states_of_zeros_have_the_structure_of_sizes(self):
        sizes = tf.nn.rnn_cell.LSTMStateTuple(tf.TensorShape([2, 3]), 4)
        state = rnn_cell_impl._zero_state_tensors(sizes, 5, tf.float32)
        self.assertEqual([each.shape.as_list() for each in state], [[5, 2, 3], [5, 4]])
        self.assertIsInstance(state, tf.nn.rnn_cell.LSTMStateTuple)

    def test_a_monitored_session_gives_the_plain_one(self):
        step = tf.train.get_or_create_global_step()
        with tf.train.MonitoredSession() as session:
            self.assertEqual(session._tf_sess().run(step), 0)
            self.assertIs(session._tf_sess(), session.plain_session)

    def test_modules_that_programs_need_on_other_machines_only_have_no_names(self):
        from troupe.python import debug
        from troupe.python.distribute import all_reduce
        from troupe.python.ops import collective_ops, nccl_ops

        for module in (debug, all_reduce, collective_ops, nccl_ops):
            with self.assertRaisesRegex(AttributeError, "has no 'all_sum'"):
                module.all_sum


if __name__ == "__main__":
    unittest.main()
