"""Moving averages: the names of the shadows, and another `apply`."""

import unittest

import troupe as tf


class MovingAveragesTest(tf.test.TestCase):
    def test_shadows_have_names_in_the_scope_in_which_they_are_made(self):
        with tf.variable_scope("one"):
            v = tf.Variable(10.0, name="v")
            total = v + 1.0
        with tf.variable_scope("two"):
            average = tf.train.ExponentialMovingAverage(0.25, name="mean")
            self.assertEqual(average.average_name(v), "two/one/v/mean")
            average.apply([v, total])
        self.assertEqual(average.average(v).op.name, "two/one/v/mean")
        self.assertEqual(average.average_name(v), "two/one/v/mean")
        self.assertEqual(average.average(total).op.name, "two/one/add/mean")
        self.assertIn("two/one/v/mean", average.variables_to_restore())

    def test_variables_that_have_a_shadow_keep_it_in_another_apply(self):
        v = tf.Variable(1.0)
        average = tf.train.ExponentialMovingAverage(0.25)
        first = average.apply([v])
        shadow = average.average(v)
        second = average.apply([v])
        self.assertIs(average.average(v), shadow)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(first)
            session.run(v.assign(2.0))
            session.run(second)
            self.assertEqual(session.run(shadow), 1.75)

    def test_the_shadow_of_a_tensor_of_a_branch_is_outside_of_it(self):
        value = tf.placeholder(tf.float32, [2])
        average = tf.train.ExponentialMovingAverage(0.5)
        doubled = value * 2.0
        updated = tf.cond(
            tf.reduce_sum(value) > 0, lambda: average.apply([doubled]), lambda: tf.no_op()
        )
        with tf.control_dependencies([updated]):
            shadow = tf.identity(average.average(doubled))
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            self.assertAllClose(session.run(shadow, {value: [1, 3]}), [1, 3])
            self.assertAllClose(session.run(shadow, {value: [-1, -3]}), [1, 3])
            self.assertAllClose(session.run(shadow, {value: [1, 3]}), [1.5, 4.5])


if __name__ == "__main__":
    unittest.main()
