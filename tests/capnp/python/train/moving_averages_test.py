"""Moving averages: the names of the shadows, and another `apply`."""

import unittest

import troupe as tf
from troupe.python.training.moving_averages import assign_moving_average


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

    def test_an_update_is_named_after_the_scope_of_the_call(self):
        for use_resource in (False, True):
            tf.reset_default_graph()
            v = tf.get_variable("v", [2], use_resource=use_resource)
            with tf.name_scope("net"):
                update = assign_moving_average(v, [1.0, 2.0], 0.9, zero_debias=False, name="new")
            self.assertTrue(update.op.name.startswith("net/new"), update.op.name)
            self.assertNotIn("//", update.op.name)

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

    def test_averages_of_references_see_what_came_before(self):
        v = tf.get_variable("v", initializer=1.0, use_resource=False)
        average = tf.train.ExponentialMovingAverage(0.5)
        with tf.control_dependencies([v.assign(3.0)]):
            update = average.apply([v])
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(update)
            self.assertEqual(session.run(average.average(v)), 2.0)

    def test_averages_of_parts_are_parts_in_checkpoints(self):
        partitioner = tf.fixed_size_partitioner(2)
        v = tf.get_variable("v", [4], initializer=tf.ones_initializer(), partitioner=partitioner)
        average = tf.train.ExponentialMovingAverage(0.5)
        average.apply(list(v))
        saver = tf.train.Saver()
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            path = saver.save(session, self.get_temp_dir() + "/parts")
        found = dict(tf.train.list_variables(path))
        self.assertEqual(found, {"v": [4], "v/ExponentialMovingAverage": [4]})

    def test_parts_and_their_averages_have_each_others_names_in_a_checkpoint(self):
        partitioner = tf.fixed_size_partitioner(2)
        v = tf.get_variable("v", [4], initializer=tf.ones_initializer(), partitioner=partitioner)
        optimizer = tf.contrib.opt.MovingAverageOptimizer(
            tf.train.GradientDescentOptimizer(1.0), average_decay=0.5
        )
        train = optimizer.minimize(tf.reduce_sum(v))
        self.assertIsInstance(optimizer._ema, tf.train.ExponentialMovingAverage)
        with self.assertRaisesRegex(ValueError, "must be saved"):
            optimizer.swapping_saver(list(v)[:1])
        saver = optimizer.swapping_saver()
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(train)
            path = saver.save(session, self.get_temp_dir() + "/swapped")
        reader = tf.train.load_checkpoint(path)
        self.assertAllClose(reader.get_tensor("v"), [0.5] * 4)
        self.assertAllClose(reader.get_tensor("v/ExponentialMovingAverage"), [0.0] * 4)


if __name__ == "__main__":
    unittest.main()
