"""Functions of ops that change references, as optimizers of programs call them."""

import unittest

import troupe as tf
from troupe.python.ops import gen_state_ops
from troupe.python.training import optimizer, training_ops


class Adam(optimizer.Optimizer):
    """An optimizer that knows variables of references alone."""

    def __init__(self):
        super().__init__(False, "Own")

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, "m", self._name)
            self._zeros_slot(v, "v", self._name)

    def _apply_dense(self, grad, var):
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        change = training_ops.apply_adam(
            var, m, v, 0.9, 0.999, 0.5, 0.9, 0.999, 1e-8, grad, use_locking=self._use_locking
        )
        return change.op


class ReferenceOpsTest(tf.test.TestCase):
    def run_all(self, fetches):
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches)

    def test_an_optimizer_may_know_references_alone(self):
        a, b = tf.Variable(2.0), tf.Variable(2.0)
        with tf.control_dependencies([Adam().minimize(a * a)]):
            first = tf.identity(a.read_value())
        with tf.control_dependencies([tf.train.AdamOptimizer(0.5).minimize(b * b)]):
            second = tf.identity(b.read_value())
        found = self.run_all([first, second])
        self.assertAllClose(found, [1.5, 1.5])

    def test_numbers_may_be_variables_whose_values_they_are(self):
        v, rate = tf.Variable([3.0, 4.0]), tf.Variable(0.5)
        changed = training_ops.apply_gradient_descent(v, rate, [2.0, 4.0], name="step")
        self.assertEqual(changed.op.type, "ResourceApplyGradientDescent")
        self.assertAllEqual(self.run_all(changed), [2, 2])

    def test_rows_are_changed(self):
        v, sums = tf.Variable([[1.0], [2.0]]), tf.Variable([[0.0], [0.0]])
        changed = training_ops.sparse_apply_adagrad(v, sums, 1.0, [[2.0]], [1])
        self.assertAllClose(self.run_all(changed), [[1.0], [1.0]])
        changed = gen_state_ops.scatter_add(v, [0], [[5.0]])
        self.assertAllClose(self.run_all(changed), [[6.0], [2.0]])

    def test_references_are_still_references(self):
        v = tf.Variable([3.0], use_resource=False)
        handle = tf.raw_ops.VariableV2(shape=[1], dtype=tf.float32)
        first = tf.raw_ops.Assign(ref=handle, value=[3.0])
        with tf.control_dependencies([first]):
            changed = training_ops.apply_gradient_descent(handle, 0.5, [2.0])
        self.assertEqual(changed.op.type, "ApplyGradientDescent")
        self.assertAllEqual(self.run_all(changed), [2.0])
        self.assertAllEqual(
            self.run_all(training_ops.apply_gradient_descent(v, 0.5, [2.0])), [2.0]
        )


if __name__ == "__main__":
    unittest.main()
