"""Optimizers of programs, by the methods that those for TensorFlow override and call."""

import unittest

import numpy as np

import troupe as tf


class Averaged(tf.train.Optimizer):
    """Moves by the mean of the gradients so far, as an optimizer for TensorFlow says it."""

    def __init__(self, learning_rate):
        super().__init__(False, "Averaged")
        self._rate = learning_rate

    def _create_slots(self, var_list):
        first = min(var_list, key=lambda v: v.name)
        self._create_non_slot_variable(initial_value=0.0, name="count", colocate_with=first)
        for v in var_list:
            self._get_or_make_slot_with_initializer(
                v, tf.constant_initializer(1.0), v.shape, v.dtype.base_dtype, "sum", self._name
            )

    def _prepare(self):
        self._tensor = tf.convert_to_tensor(self._call_if_callable(self._rate))

    def _count(self):
        return self._get_non_slot_variable("count", graph=tf.get_default_graph())

    def _apply_dense(self, grad, var):
        total = self.get_slot(var, "sum").assign_add(grad)
        return var.assign_sub(self._tensor * total / (self._count() + 1))

    def _finish(self, update_ops, name_scope):
        with tf.control_dependencies(update_ops), tf.colocate_with(self._count()):
            counted = self._count().assign_add(1.0)
        return tf.group(*update_ops, counted, name=name_scope)


class CustomOptimizerTest(tf.test.TestCase):
    def test_state_that_all_updates_share_is_a_variable_of_its_graph(self):
        optimizer = Averaged(lambda: 0.5)
        for _ in range(2):
            with tf.Graph().as_default(), tf.Session() as session:
                v = tf.Variable([2.0, 4.0], name="v")
                self.assertIsNone(optimizer._get_non_slot_variable("count"))
                step = optimizer.minimize(tf.reduce_sum(v))
                again = optimizer.minimize(tf.reduce_sum(v))
                count, total = optimizer.variables()
                self.assertIs(count, optimizer._get_non_slot_variable("count"))
                self.assertIs(total, optimizer.get_slot(v, "sum"))
                self.assertIn(count, optimizer._non_slot_variables())
                session.run(tf.global_variables_initializer())
                session.run(step)
                session.run(again)
                self.assertAllClose(session.run([v, count]), ([0.25, 2.25], 2.0))

    def test_slots_are_found_by_graphs_and_names_of_variables(self):
        v = tf.Variable([1.0], name="v")
        optimizer = tf.train.AdamOptimizer()
        self.assertEqual(optimizer._get_beta_accumulators(), (None, None))
        optimizer.minimize(tf.reduce_sum(v))
        found = [optimizer._slots[name][key] for name in "mv" for key in optimizer._slots[name]]
        self.assertEqual(found, [optimizer.get_slot(v, "m"), optimizer.get_slot(v, "v")])
        self.assertEqual(optimizer._slot_dict("m"), {(v.op.graph, "v"): found[0]})
        powers = optimizer._get_beta_accumulators()
        self.assertEqual([power.op.name for power in powers], ["beta1_power", "beta2_power"])

    def rows_after(self, kind):
        v = tf.Variable(np.zeros([3, 1], np.float32))
        step = kind(False, "Rows").minimize(tf.reduce_sum(tf.gather(v, [2, 0, 2])))
        with tf.Session() as session:
            session.run(v.initializer)
            session.run(step)
            return session.run(v)[:, 0].tolist()

    def test_rows_are_updated_by_a_method_of_the_program(self):
        class Distinct(tf.train.Optimizer):
            def _apply_sparse(self, grad, var):
                return tf.scatter_sub(var, grad.indices, 10 * grad.values)

        class Repeated(tf.train.Optimizer):
            def _apply_sparse_duplicate_indices(self, grad, var):
                return tf.scatter_update(var, grad.indices, grad.values)

        class Dense(tf.train.Optimizer):
            def _apply_dense(self, grad, var):
                return var.assign_add(grad + 1)

        self.assertEqual(self.rows_after(Distinct), [-10, 0, -20])
        self.assertEqual(self.rows_after(Repeated), [1, 0, 1])
        self.assertEqual(self.rows_after(Dense), [2, 1, 3])


if __name__ == "__main__":
    unittest.main()
