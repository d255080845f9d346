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

class WaitingTest(tf.test.TestCase):
    """What waits for a call does for the effects in its branches, whichever is taken."""

    def after(self, function, *feeds):
        """The variable after a call, for each of some values that are fed."""
        variable = tf.Variable(0, use_resource=True)
        fed = tf.placeholder(tf.int32, [])
        with tf.control_dependencies([function(variable, fed)]):
            result = tf.identity(variable.read_value())
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return [session.run(result, {fed: value}) for value in feeds]

    def test_one_branch_of_a_call_has_an_effect(self):
        @tf.function
        def change(v, x):
            return tf.cond(tf.equal(x, 3), lambda: v.assign(5), lambda: 2)

        self.assertEqual(self.after(change, 1, 3, 1), [0, 5, 5])

    def test_branches_in_branches_and_loops_in_branches(self):
        @tf.function
        def change(v, x):
            def loop():
                body = lambda i: (tf.group(v.assign_add(i)) and i + 1,)  # noqa: E731
                return tf.while_loop(lambda i: i < x, body, [tf.constant(0)])

            def inner():
                return tf.cond(x > -5, lambda: v.assign_sub(1), lambda: v.assign(100))

            return tf.cond(x > 0, loop, inner)

        self.assertEqual(self.after(change, 4, -1, 3, -6), [6, 5, 8, 100])

    def test_a_call_in_a_branch_of_a_call(self):
        @tf.function
        def add(v, x):
            v.assign_add(x)
            return tf.cond(x > 5, lambda: v.assign(0), lambda: v.assign_add(1))

        @tf.function
        def change(v, x):
            return tf.cond(x > 0, lambda: add(v, x), lambda: 7)

        self.assertEqual(self.after(change, 2, -1, 9, 1), [3, 3, 0, 2])



if __name__ == "__main__":
    unittest.main()
