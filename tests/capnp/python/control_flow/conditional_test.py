"""tf.cond, tf.case, tf.switch_case: which branch runs, what it gives, and its gradients."""

import collections
import unittest

import numpy as np

import troupe as tf


class ConditionalTest(tf.test.TestCase):
    def run_step(self, fetches, feed_dict=None):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches, feed_dict)

    def test_a_result_has_the_shape_that_both_branches_are_known_to_have(self):
        x = tf.placeholder(tf.float32)

        def known(*sizes):
            result = tf.identity(x)
            result.set_shape(sizes)
            return result

        p = tf.constant(True)
        self.assertEqual(tf.cond(p, lambda: known(2, 3), lambda: known(4, 3)).shape, [None, 3])
        self.assertIsNone(tf.cond(p, lambda: known(2), lambda: known(2, 3)).shape.rank)

    def test_a_branch_gives_its_results_in_their_structure(self):
        Pair = collections.namedtuple("Pair", ["first", "second"])
        x = tf.placeholder(tf.float32, [])
        y = tf.cond(
            x < 0,
            lambda: {"a": Pair(x, -x), "b": [tf.constant(1)]},
            lambda: {"a": Pair(x * x, x), "b": [tf.constant(2)]},
        )
        self.assertEqual(self.run_step(y, {x: -3})["a"], Pair(-3, 3))
        self.assertEqual(self.run_step(y, {x: 3}), {"a": Pair(9, 3), "b": [2]})

    def test_only_one_branch_changes_a_variable(self):
        v = tf.get_variable("v", initializer=0.0)
        flag = tf.placeholder(tf.bool, [])
        chosen = tf.cond(flag, lambda: v.assign_add(1.0), lambda: v.assign_sub(10.0))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for value, expected in ((True, 1), (True, 2), (False, -8)):
                self.assertEqual(session.run(chosen, {flag: value}), expected)

    def test_a_branch_may_give_an_operation_or_nothing(self):
        v = tf.get_variable("counted", initializer=0.0)
        flag = tf.placeholder(tf.bool, [])
        done = tf.cond(flag, lambda: tf.group(v.assign_add(1.0)), lambda: None)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for value in (True, False, True):
                session.run(done, {flag: value})
            self.assertEqual(session.run(v), 2)

    def test_an_operation_outside_of_a_branch_runs_whatever_is_chosen(self):
        v = tf.get_variable("outside", initializer=0.0)
        outside = v.assign_add(1.0)
        y = tf.cond(tf.constant(False), lambda: tf.identity(outside), lambda: tf.constant(7.0))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run(y), 7)
            self.assertEqual(session.run(v), 1)

    def test_a_list_of_one_is_that_one_unless_strict(self):
        always = tf.constant(True)
        one = tf.cond(always, lambda: [tf.constant(1)], lambda: (tf.constant(2),))
        kept = tf.cond(always, lambda: [tf.constant(1)], lambda: [tf.constant(2)], strict=True)
        self.assertEqual(self.run_step([one, kept]), [1, [1]])

    def test_gradients_flow_through_the_branch_that_runs(self):
        x = tf.placeholder(tf.float32, [3])
        w = tf.get_variable("w", initializer=[1.0, 2.0, 3.0])
        y = tf.cond(tf.reduce_sum(x) > 0, lambda: w * x * x, lambda: x * 5)
        dx, dw = tf.gradients(y, [x, w])
        values = self.run_step([dx, dw], {x: [1, 2, 3]})
        self.assertAllClose(values, [[2, 8, 18], [1, 4, 9]])
        values = self.run_step([dx, dw], {x: [-1, -2, -3]})
        self.assertAllClose(values, [[5, 5, 5], [0, 0, 0]])

    def test_conditionals_nest(self):
        x = tf.placeholder(tf.int32, [])

        def inner():
            return tf.cond(x > 10, lambda: x * 100, lambda: x * 10)

        y = tf.cond(x > 0, inner, lambda: -x)
        self.assertEqual([self.run_step(y, {x: n}) for n in (-2, 3, 11)], [2, 30, 1100])

    def test_an_assertion_in_the_branch_that_does_not_run_does_not_fail(self):
        flag = tf.placeholder(tf.bool, [])
        y = tf.cond(flag, lambda: tf.no_op(), lambda: tf.Assert(False, ["the other branch"]))
        self.run_step(y, {flag: True})
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "the other branch"):
            self.run_step(y, {flag: False})

    def test_a_reference_variable_is_assigned_in_a_branch(self):
        v = tf.get_variable("ref", initializer=1.0, use_resource=False)
        flag = tf.placeholder(tf.bool, [])
        y = tf.cond(flag, lambda: v.assign(5.0), lambda: v.assign_add(1.0))
        self.assertEqual(self.run_step(y, {flag: True}), 5)
        self.assertEqual(self.run_step(y, {flag: False}), 2)

    def test_what_is_no_branch_is_refused(self):
        x = tf.constant(1.0)
        with self.assertRaisesRegex(TypeError, "must not be a Python bool"):
            tf.cond(True, lambda: x, lambda: x)
        with self.assertRaisesRegex(TypeError, "true_fn must be callable"):
            tf.cond(x > 0, x, lambda: x)
        with self.assertRaisesRegex(TypeError, "false_fn argument required"):
            tf.cond(x > 0, lambda: x)
        with self.assertRaisesRegex(ValueError, "same type"):
            tf.cond(x > 0, lambda: x, lambda: tf.constant(1))
        with self.assertRaisesRegex(ValueError, "bool scalar"):
            tf.cond(x, lambda: x, lambda: x)

    def test_a_value_of_a_branch_stays_in_it(self):
        kept = []
        tf.cond(tf.constant(True), lambda: kept.append(tf.constant(1)) or kept[0], lambda: 2)
        with self.assertRaisesRegex(ValueError, "return it as a result"):
            tf.identity(kept[0])

    def test_the_first_case_that_holds_is_chosen(self):
        x = tf.placeholder(tf.int32, [])
        pairs = [(x > 10, lambda: tf.constant("large")), (x > 5, lambda: tf.constant("middle"))]
        y = tf.case(pairs, default=lambda: tf.constant("small"))
        values = [self.run_step(y, {x: n}) for n in (20, 7, 1)]
        self.assertEqual(values, [b"large", b"middle", b"small"])

    def test_cases_without_default_or_exclusive_ones_are_checked(self):
        x = tf.placeholder(tf.int32, [])
        pairs = [(x > 10, lambda: tf.constant(1)), (x > 5, lambda: tf.constant(2))]
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "None of the conditions"):
            self.run_step(tf.case(pairs), {x: 0})
        exclusive = tf.case(pairs, default=lambda: tf.constant(3), exclusive=True)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "More than one condition"):
            self.run_step(exclusive, {x: 20})
        self.assertEqual(self.run_step(exclusive, {x: 7}), 2)

    def test_a_branch_is_chosen_by_its_number(self):
        x = tf.placeholder(tf.int32, [])
        functions = [lambda n=n: tf.constant(n * 10) for n in range(3)]
        y = tf.switch_case(x, functions)
        self.assertEqual([self.run_step(y, {x: n}) for n in (0, 1, 2, 9)], [0, 10, 20, 20])
        with self.assertRaisesRegex(ValueError, "contiguous"):
            tf.switch_case(x, {0: functions[0], 2: functions[1]})

    def test_sparse_tensors_come_out_of_branches(self):
        x = tf.SparseTensor([[0, 1]], [5.0], [2, 2])
        y = tf.cond(tf.constant(True), lambda: x, lambda: x)
        self.assertAllEqual(self.run_step(tf.sparse.to_dense(y)), [[0, 5], [0, 0]])
        self.assertIsInstance(y, tf.SparseTensor)

    def test_gradients_of_python_functions_stay_in_their_branch(self):
        @tf.custom_gradient
        def doubled(x):
            return x * 2, lambda dy: dy * 100 + x * 0

        x = tf.placeholder(tf.float32, [])
        y = tf.cond(x > 0, lambda: doubled(x), lambda: x)
        (dx,) = tf.gradients(y, [x])
        self.assertEqual([self.run_step(dx, {x: n}) for n in (1, -1)], [100, 1])

    def test_a_branch_is_chosen_by_a_tensor_only(self):
        for index in (1, 1.0, tf.constant(1.0)):
            with self.subTest(index=index), self.assertRaisesRegex(TypeError, "branch_index"):
                tf.switch_case(index, [lambda: tf.constant(0), lambda: tf.constant(1)])

    def test_a_function_of_elements_gives_the_structure_of_its_dtypes(self):
        with self.assertRaisesRegex(TypeError, "same sequence type"):
            tf.map_fn(lambda x: (x, x), tf.constant([1, 2]), dtype=[tf.int32, tf.int32])


if __name__ == "__main__":
    unittest.main()
