"""The order of effects in a tf.function, with those of branches and loops."""

import unittest

import troupe as tf


class EffectsTest(tf.test.TestCase):
    def results(self, function, first=0, count=2):
        """What a tf.function of a variable gives in steps one after the other."""
        variable = tf.Variable(first, use_resource=True)
        fetches = function(variable)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return [session.run(fetches) for _ in range(count)]

    def test_nodes_after_a_branch_wait_for_it(self):
        @tf.function
        def change(v):
            v.assign_add(1)
            tf.cond(v > 1, lambda: v.assign(v * 10), lambda: v.assign_sub(5))
            between = v.read_value()
            v.assign_add(3)
            return between, v.read_value()

        self.assertEqual(self.results(change, count=4), [(-4, -1), (-5, -2), (-6, -3), (-7, -4)])
        self.assertEqual(self.results(change, first=1), [(20, 23), (240, 243)])

    def test_iterations_wait_for_each_other_and_nodes_after_a_loop_for_all(self):
        @tf.function
        def change(v):
            v.assign(v * 2 + 1)
            tf.while_loop(
                lambda i: i < 4,
                lambda i: (tf.group(v.assign_add(i)) and i + 1,),
                [tf.constant(0)],
            )
            return v.read_value()

        self.assertEqual(self.results(change), [7, 21])

    def test_branches_and_loops_in_loops(self):
        @tf.function
        def change(v):
            for i in tf.range(3):
                v.assign_add(i)
                if v > 3:
                    v.assign(v * 2)
                    for j in tf.range(2):
                        v.assign_sub(j)
                v.assign_add(1)
            return v.read_value()

        def expected(v):
            for i in range(3):
                v += i
                if v > 3:
                    v = v * 2 - 1
                v += 1
            return v

        first = expected(0)
        self.assertEqual(self.results(change), [first, expected(first)])

    def test_a_condition_reads_what_the_iteration_before_has_written(self):
        @tf.function
        def change(v):
            while v < 20:
                v.assign_add(3)
            return v.read_value()

        self.assertEqual(self.results(change), [21, 21])

    def test_two_variables_in_turns(self):
        v = tf.Variable(0, use_resource=True)
        w = tf.Variable(100, use_resource=True)

        @tf.function
        def change(n):
            for i in tf.range(n):
                if tf.equal(i % 2, 0):
                    v.assign_add(w)
                else:
                    w.assign_sub(v)
            return v.read_value(), w.read_value()

        found = change(tf.constant(5))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run(found), (0, -100))


if __name__ == "__main__":
    unittest.main()
