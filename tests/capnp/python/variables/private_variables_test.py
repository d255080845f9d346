"""Variables that are not global: each is its own, also where two have one name."""

import unittest

import troupe as tf


class PrivateVariablesTest(tf.test.TestCase):
    def values_of(self, collections):
        first = tf.Variable(1.0, collections=collections)
        second = tf.Variable(2.0, collections=collections)
        with self.session() as session:
            session.run([first.initializer, second.initializer])
            return session.run([first, second])

    def test_two_local_variables_without_a_name_have_values_of_their_own(self):
        self.assertEqual(self.values_of([tf.GraphKeys.LOCAL_VARIABLES]), [1.0, 2.0])

    def test_two_variables_of_a_collection_of_the_program_have_values_of_their_own(self):
        self.assertEqual(self.values_of(["mine"]), [1.0, 2.0])

    def test_slots_of_a_local_variable_are_its_own_and_among_the_global_variables(self):
        x = tf.Variable([3.0], collections=[tf.GraphKeys.LOCAL_VARIABLES])
        optimizer = tf.train.AdamOptimizer(0.1)
        pairs = optimizer.compute_gradients(x * x, [x])
        train = optimizer.apply_gradients(pairs)
        slots = [optimizer.get_slot(x, name) for name in ("m", "v")]
        self.assertTrue(all(slot in tf.global_variables() for slot in slots))
        with self.session() as session:
            session.run([tf.local_variables_initializer(), tf.global_variables_initializer()])
            session.run(train)
            self.assertAllClose(session.run([slot for slot in slots]), [[0.6], [0.036]])


if __name__ == "__main__":
    unittest.main()
