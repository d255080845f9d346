"""Optimizers that precondition gradients by matrices take TensorFlow's steps."""

import unittest

import numpy as np
import troupe as tf

opt = tf.contrib.opt


def trained(make, rows=False, steps=3):
    """The names of the variables, and the value of one after some steps."""
    with tf.Graph().as_default(), tf.Session() as session:
        step = tf.train.get_or_create_global_step()
        v = tf.get_variable("v", initializer=[[1.0, -2.0], [0.5, 3.0], [-1.0, 0.25]])
        read = tf.gather(v, [1, 2, 1]) if rows else v
        loss = tf.reduce_sum(tf.square(tf.square(read) - [[0.5, 1.0]]))
        train = make(step).minimize(loss, global_step=step)
        session.run(tf.global_variables_initializer())
        for _ in range(steps):
            session.run(train)
        return [variable.op.name for variable in tf.global_variables()], session.run(v)


# What TensorFlow 1.15 gives: the slots, and v after steps of tensors, and of rows.
EXPECTED = [
    (
        lambda step: opt.ShampooOptimizer(step, learning_rate=0.1),
        ["v/Shampoo", "v/Shampoo_1", "v/Shampoo_2"],
        [0.830094, -1.895358, 0.4616543, 2.679865, -0.7959059, 0.2626068],
        [1, -2, 0.5045764, 2.665288, -0.7618243, 0.2545431],
    ),
    (
        lambda step: opt.ShampooOptimizer(step, 2, 0.5, 0.4, learning_rate=0.1),
        ["v/Shampoo", "v/Shampoo_1", "v/Shampoo_2"],
        [0.9570326, -1.906754, 0.4968338, 2.813375, -0.857188, 0.2643057],
        [1, -2, 0.5012739, 2.810579, -0.8341054, 0.2602631],
    ),
    (
        lambda step: opt.ShampooOptimizer(step, 1, learning_rate=lambda t: 0.1 / t),
        ["v/Shampoo", "v/Shampoo_1", "v/Shampoo_2"],
        [0.9435536, -1.884089, 0.5076434, 2.769559, -0.8393924, 0.2665277],
        [1, -2, 0.5077671, 2.848635, -0.876724, 0.2574105],
    ),
    (
        lambda step: opt.ShampooOptimizer(step, svd_interval=2, learning_rate=0.1, epsilon=0.1),
        ["v/Shampoo", "v/Shampoo_1", "v/Shampoo_2", "v/Shampoo_3", "v/Shampoo_4"],
        [0.783209, 0.403648, 0.5505709, -6.299113, -0.7533245, 0.3445168],
        [1, -2, 0.6000212, -15.89149, -0.7506191, 0.3437853],
    ),
    (
        lambda step: opt.ShampooOptimizer(step, learning_rate=0.1, use_iterative_root=True),
        ["v/Shampoo", "v/Shampoo_1", "v/Shampoo_2"],
        [0.8301023, -1.895354, 0.4616565, 2.679867, -0.795896, 0.2626116],
        [1, -2, 0.5045764, 2.665288, -0.7618243, 0.2545431],
    ),
    (
        lambda step: opt.GGTOptimizer(0.1, window=2, svd_eps=1.0),
        ["global_step_1", "grad_buffer", "moment1", "flat_grad"],
        [0.9908945, -1.900195, 0.5023326, 2.657315, -0.9908945, 0.2544243],
        None,
    ),
    (
        lambda step: opt.GGTOptimizer(lambda: 0.05, beta1=0.5, window=3, svd_eps=0.5, eps=10.0),
        ["global_step_1", "grad_buffer", "moment1", "flat_grad"],
        [0.996103, -1.955711, 0.5009882, 2.839368, -0.996103, 0.2518654],
        None,
    ),
]


class PreconditionersTest(tf.test.TestCase):
    def test_steps_and_slots_are_those_of_tensorflow(self):
        for make, slots, dense, rows in EXPECTED:
            names, value = trained(make)
            self.assertEqual(names[2:], slots)
            self.assertAllClose(value, np.reshape(dense, [3, 2]), rtol=1e-4, atol=1e-5)
            if rows is not None:
                value = trained(make, rows=True)[1]
                self.assertAllClose(value, np.reshape(rows, [3, 2]), rtol=1e-4, atol=1e-5)

    def test_ggt_takes_no_gradients_of_rows(self):
        with self.assertRaisesRegex(NotImplementedError, "GGTOptimizer"):
            trained(lambda step: opt.GGTOptimizer(), rows=True)

    def test_a_decaying_vector_takes_no_gradients_of_rows(self):
        with self.assertRaisesRegex(ValueError, "mat_gbar_decay"):
            trained(lambda step: opt.ShampooOptimizer(step, 1, mat_gbar_decay=0.5), rows=True)


if __name__ == "__main__":
    unittest.main()
