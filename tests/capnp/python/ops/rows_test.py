"""Gradients of rows, and the optimizers that update rows."""

import unittest

import numpy as np

import troupe as tf

TABLE = np.arange(12, dtype=np.float32).reshape(4, 3)


def optimizers():
    train = tf.train
    return {
        "descent": lambda: train.GradientDescentOptimizer(0.1),
        "proximal_descent": lambda: train.ProximalGradientDescentOptimizer(0.1, 0.01, 0.02),
        "momentum": lambda: train.MomentumOptimizer(0.1, 0.9),
        "nesterov": lambda: train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
        "adagrad": lambda: train.AdagradOptimizer(0.1),
        "proximal_adagrad": lambda: train.ProximalAdagradOptimizer(0.1, 0.1, 0.01, 0.02),
        "adagrad_da": lambda: train.AdagradDAOptimizer(0.1, tf.constant(1, tf.int64)),
        "adadelta": lambda: train.AdadeltaOptimizer(0.1),
        "rmsprop": lambda: train.RMSPropOptimizer(0.1, momentum=0.5),
        "centered_rmsprop": lambda: train.RMSPropOptimizer(0.1, centered=True),
        "ftrl": lambda: train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
        "ftrl_v2": lambda: train.FtrlOptimizer(0.1, l2_shrinkage_regularization_strength=0.01),
        "adam": lambda: train.AdamOptimizer(0.1),
    }


class RowsTest(tf.test.TestCase):
    def run_all(self, fetches, steps=()):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for step in steps:
                session.run(step)
            return session.run(fetches)

    def test_what_is_gathered_has_a_gradient_of_rows(self):
        table = tf.Variable(TABLE)
        (found,) = tf.gradients(tf.gather(table, [2, 0, 2]) * 2.0, [table])
        self.assertIsInstance(found, tf.IndexedSlices)
        rows, dense = self.run_all([found, tf.convert_to_tensor(found)])
        self.assertAllEqual(rows.indices, [2, 0, 2])
        self.assertAllEqual(rows.values, np.full([3, 3], 2.0))
        self.assertAllEqual(rows.dense_shape, [4, 3])
        self.assertAllEqual(dense, [[2] * 3, [0] * 3, [4] * 3, [0] * 3])

    def test_gradients_of_rows_add_up_as_rows(self):
        table = tf.Variable(TABLE)
        both = tf.gather(table, [1]) + tf.gather(table, [[3]])
        (found,) = tf.gradients(both, [table])
        self.assertIsInstance(found, tf.IndexedSlices)
        self.assertAllEqual(
            self.run_all(tf.convert_to_tensor(found)), [[0] * 3, [1] * 3, [0] * 3, [1] * 3]
        )

    def test_rows_and_a_tensor_add_up_to_a_tensor(self):
        table = tf.Variable(TABLE)
        loss = tf.reduce_sum(tf.gather(table, [1])) + tf.reduce_sum(table * 3.0)
        (found,) = tf.gradients(loss, [table])
        self.assertIsInstance(found, tf.Tensor)
        self.assertAllEqual(self.run_all(found), [[3] * 3, [4] * 3, [3] * 3, [3] * 3])

    def test_what_needs_a_tensor_gets_one(self):
        x = tf.Variable(TABLE)
        (found,) = tf.gradients(tf.gather(x * x, [1]), [x])
        self.assertIsInstance(found, tf.Tensor)
        expected = np.zeros_like(TABLE)
        expected[1] = 2 * TABLE[1]
        self.assertAllClose(self.run_all(found), expected)

    def test_each_optimizer_updates_rows_as_it_does_a_tensor_that_has_no_other(self):
        for name, make in optimizers().items():
            with self.subTest(name):
                tf.reset_default_graph()
                rows, whole = tf.Variable(TABLE, name="rows"), tf.Variable(TABLE[:2], name="whole")
                picked = tf.gather(rows, [1, 0, 1])
                loss = tf.reduce_sum(picked * picked)
                counts = tf.constant([[1.0], [2.0]])
                dense_loss = tf.reduce_sum(counts * whole * whole)
                step = tf.group(make().minimize(loss), make().minimize(dense_loss))
                after_rows, after_whole = self.run_all([rows, whole], [step] * 3)
                self.assertAllClose(after_rows[:2], after_whole, rtol=1e-5, atol=1e-6)
                self.assertAllEqual(after_rows[2:], TABLE[2:])

    def test_an_optimizer_of_ones_own_that_knows_no_rows_gets_tensors(self):
        class Halving(tf.train.Optimizer):
            def __init__(self):
                super().__init__(use_locking=False, name="Halving")

            def _apply_dense(self, grad, var):
                return var.assign_sub(grad * 0.5)

        table = tf.Variable(TABLE)
        step = Halving().minimize(tf.reduce_sum(tf.gather(table, [0, 0])))
        expected = TABLE.copy()
        expected[0] -= 1.0
        self.assertAllClose(self.run_all(table, [step]), expected)

    def test_rows_are_clipped_by_their_values(self):
        table = tf.Variable(TABLE)
        (found,) = tf.gradients(tf.gather(table, [2]) * 3.0, [table])
        (clipped,), norm = tf.clip_by_global_norm([found], 1.0)
        self.assertIsInstance(clipped, tf.IndexedSlices)
        values, size = self.run_all([clipped.values, norm])
        self.assertAllClose(size, 27**0.5)
        self.assertAllClose(values, [[3 / 27**0.5] * 3])

    def test_embeddings_are_trained_by_rows(self):
        table = tf.get_variable("table", initializer=TABLE)
        found = tf.nn.embedding_lookup(table, [[1, 3]])
        step = tf.train.GradientDescentOptimizer(1.0).minimize(tf.reduce_sum(found))
        names = [op.type for op in tf.get_default_graph().get_operations()]
        self.assertIn("ResourceScatterAdd", names)
        expected = TABLE.copy()
        expected[[1, 3]] -= 1.0
        self.assertAllClose(self.run_all(table, [step]), expected)


if __name__ == "__main__":
    unittest.main()
