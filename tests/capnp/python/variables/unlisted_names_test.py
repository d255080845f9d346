"""Variables of no collection beside those of collections, with the same name."""

import unittest

import troupe as tf


class UnlistedNamesTest(tf.test.TestCase):
    def test_no_two_variables_of_a_graph_share_a_value(self):
        for order in ((True, False, True, False), (False, True, False, False)):
            with self.subTest(order=order), tf.Graph().as_default(), tf.Session() as session:
                made = [
                    tf.Variable([0.0], collections=None if is_global else [])
                    for is_global in order
                ]
                session.run([each.initializer for each in made])
                for number, each in enumerate(made):
                    session.run(tf.assign(each, [float(number)]))
                self.assertAllEqual(session.run(made), [[0], [1], [2], [3]])

    def test_a_sum_of_gradients_is_apart_from_the_variable(self):
        variable = tf.Variable([1.0, 2.0])
        summed = tf.Variable(tf.zeros([2]), trainable=False, collections=[])
        with self.session() as session:
            session.run([variable.initializer, summed.initializer])
            session.run(tf.assign_add(summed, [3.0, 3.0]))
            self.assertAllEqual(session.run(variable), [1, 2])


if __name__ == "__main__":
    unittest.main()
