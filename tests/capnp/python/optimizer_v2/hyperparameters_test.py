"""Optimizers with hyperparameters take TensorFlow's steps, under TensorFlow's names."""

import unittest

import numpy as np
import troupe as tf

v2 = tf.contrib.optimizer_v2


def trained(make, rows=False, steps=3):
    """The names of the variables, and the value of one after some steps."""
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=[[1.0, -2.0], [0.5, 3.0], [-1.0, 0.25]])
        loss = tf.reduce_sum(tf.square(tf.gather(v, [1, 2, 1]) if rows else v))
        step = tf.train.get_or_create_global_step()
        train = make().minimize(loss, global_step=step)
        session.run(tf.global_variables_initializer())
        for _ in range(steps):
            session.run(train)
        names = [variable.op.name for variable in tf.global_variables()]
        return names, session.run(v), train.name


def decayed():
    return tf.train.exponential_decay(0.1, tf.train.get_global_step(), 1, 0.5)


# What TensorFlow 1.15 gives: the slots, and v after steps of tensors, and of rows.
EXPECTED = [
    (
        lambda: v2.GradientDescentOptimizer(0.1),
        [],
        [0.512, -1.024, 0.256, 1.536, -0.512, 0.128],
        [1, -2, 0.108, 0.648, -0.512, 0.128],
    ),
    (
        lambda: v2.GradientDescentOptimizer(decayed),
        [],
        [0.684, -1.368, 0.342, 2.052, -0.684, 0.171],
        [1, -2, 0.216, 1.296, -0.684, 0.171],
    ),
    (
        lambda: v2.MomentumOptimizer(0.1, lambda: 0.9, use_nesterov=True),
        ["v/Momentum"],
        [-0.108352, 0.216704, -0.05417599, -0.3250559, 0.108352, -0.02708799],
        [1, -2, -0.216648, -1.299888, 0.108352, -0.02708799],
    ),
    (
        lambda: v2.AdagradOptimizer(0.1, 0.3),
        ["v/Adagrad"],
        [0.7858247, -1.777236, 0.3087766, 2.774995, -0.7858247, 0.106653],
        [1, -2, 0.2959362, 2.774519, -0.7858247, 0.106653],
    ),
    (
        lambda: v2.AdadeltaOptimizer(0.5, epsilon=0.1),
        ["v/Adadelta", "v/Adadelta_1"],
        [0.02929708, -0.4595905, 0.0002371236, 1.230078, -0.02929708, 1.677254e-07],
        [1, -2, -0.02038965, 1.197974, -0.02929708, 1.677254e-07],
    ),
    (
        lambda: v2.RMSPropOptimizer(0.1, momentum=0.3, epsilon=0.1),
        ["v/RMSProp", "v/RMSProp_1"],
        [0.260828, -1.146554, -0.01389362, 2.115684, -0.260828, -0.03351255],
        [1, -2, -0.05782571, 2.110021, -0.260828, -0.03351255],
    ),
    (
        lambda: v2.RMSPropOptimizer(0.1, centered=True),
        ["v/RMSProp", "v/RMSProp_1", "v/RMSProp_2"],
        [0.3235694, -1.245341, 0.01486538, 2.223695, -0.3235694, -0.008042663],
        [1, -2, 0.01486538, 2.223695, -0.3235694, -0.008042667],
    ),
    (
        lambda: v2.AdamOptimizer(decayed, beta1=0.8),
        ["beta1_power", "beta2_power", "v/Adam", "v/Adam_1"],
        [0.8257127, -1.825313, 0.3268303, 2.8252, -0.8257127, 0.08085307],
        [1, -2, 0.3268302, 2.8252, -0.8257127, 0.08085307],
    ),
]


class HyperparametersTest(tf.test.TestCase):
    def test_steps_and_slots_are_those_of_tensorflow(self):
        for make, slots, dense, rows in EXPECTED:
            names, value, op = trained(make)
            self.assertEqual(names[2:], slots)
            self.assertEqual(op, make().get_name())
            self.assertAllClose(value, np.reshape(dense, [3, 2]), rtol=1e-5)
            self.assertAllClose(trained(make, rows=True)[1], np.reshape(rows, [3, 2]), rtol=1e-5)

    def test_a_function_is_called_for_each_apply_gradients_and_its_tensor_read_in_each_step(self):
        calls = []

        def rate():
            calls.append(1)
            return tf.constant(0.25)

        _, value, _ = trained(lambda: v2.GradientDescentOptimizer(rate))
        self.assertEqual(len(calls), 1)
        self.assertAllClose(value[0], [0.125, -0.25])

    def test_a_custom_optimizer_gets_its_state(self):
        class Counting(v2.OptimizerV2):
            def __init__(self):
                super().__init__(False, "Counting")
                self._set_hyper("rate", 0.5)

            def _create_vars(self, var_list, state):
                state.create_non_slot(initial_value=1.0, name="count")
                for var in var_list:
                    state.create_slot(var, tf.ones_like(var) * 2.0, "twos")
                    state.zeros_slot(var, "sum", "Sum")

            def _resource_apply_dense(self, grad, var, state):
                change = grad * state.get_hyper("rate") * state.get_slot(var, "twos")
                return tf.group(var.assign_sub(change), state.get_slot(var, "sum").assign_add(grad))

            def _finish(self, state):
                return state.get_non_slot("count").assign_add(1.0)

        optimizer = Counting()
        v = tf.get_variable("v", initializer=[1.0, 2.0])
        train = optimizer.minimize(tf.reduce_sum(v))
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(train)
            self.assertAllClose(session.run(v), [0.0, 1.0])
            self.assertAllClose(session.run(optimizer.get_slot(v, "sum")), [1.0, 1.0])
            names = [each.op.name for each in optimizer.variables()]
            self.assertEqual(names, ["count", "v/Counting", "v/Sum"])
            self.assertEqual(session.run(optimizer.variables()[0]), 2.0)

    def test_an_update_in_a_branch_keeps_no_part_of_it_for_another_update(self):
        v = tf.get_variable("v", initializer=np.float64([1.0, 2.0]), use_resource=True)
        optimizer, ones = v2.MomentumOptimizer(0.1, 0.9), tf.ones([2], tf.float64)

        def update():
            with tf.control_dependencies([optimizer.apply_gradients([(ones, v)])]):
                return tf.constant(1)

        is_taken = tf.placeholder_with_default(False, [])
        in_branch = tf.cond(is_taken, update, lambda: tf.constant(0))
        train = optimizer.apply_gradients([(ones, v)])
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(train)
            self.assertAllClose(session.run(v), [0.9, 1.9])
            session.run(in_branch, {is_taken: True})
            self.assertAllClose(session.run(v), [0.71, 1.71])

    def test_a_constraint_follows_the_update(self):
        v = tf.get_variable("v", initializer=[1.0], constraint=lambda x: tf.maximum(x, 0.95))
        train = v2.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(v))
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(train)
            self.assertAllClose(session.run(v), [0.95])

    def test_what_is_wrong_is_an_error(self):
        class Older(v2.OptimizerV2):
            def _create_slots(self, var_list):
                pass

        with self.assertRaisesRegex(RuntimeError, "_create_vars"):
            Older(False, "Older")
        v = tf.get_variable("v", initializer=[1.0])
        optimizer = v2.AdamOptimizer()
        with self.assertRaisesRegex(ValueError, "No variables"):
            optimizer.apply_gradients([])
        with self.assertRaisesRegex(ValueError, "No gradients"):
            optimizer.minimize(tf.constant(1.0), var_list=[v])
        with self.assertRaisesRegex(ValueError, "positive"):
            v2.AdagradOptimizer(0.1, 0.0)
        with self.assertRaisesRegex(NotImplementedError, "Tensor"):
            optimizer.apply_gradients([(tf.constant(1.0), tf.constant(1.0))])


if __name__ == "__main__":
    unittest.main()
