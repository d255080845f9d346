"""Variable scopes: their initializers, custom getters and threads; the names of name scopes."""

import threading
import unittest

import numpy as np

import troupe as tf


class InitializersTest(tf.test.TestCase):
    def test_a_scope_may_have_a_tensor_or_an_array_as_its_initializer(self):
        for name, value in (("tensor", tf.constant([1, 2])), ("array", np.array([1, 2]))):
            with tf.variable_scope(name, initializer=value):
                v = tf.get_variable("v")
            with tf.Session() as session:
                session.run(v.initializer)
                self.assertAllEqual(session.run(v), [1, 2])

    def test_a_function_without_arguments_says_the_shape(self):
        one = tf.get_variable("one", initializer=lambda: [2, 3])
        other = tf.get_variable("other", initializer=lambda size=3: tf.zeros([size]))
        self.assertEqual([one.shape, other.shape], [[2], [3]])
        self.assertEqual([one.dtype.base_dtype, other.dtype.base_dtype], [tf.int32, tf.float32])
        with self.assertRaisesRegex(ValueError, "must be fully defined"):
            tf.get_variable("none", initializer=tf.zeros_initializer())

    def test_strings_begin_empty(self):
        v = tf.get_variable("v", [2], tf.string)
        with tf.Session() as session:
            session.run(v.initializer)
            self.assertAllEqual(session.run(v), [b"", b""])

    def test_a_loss_of_a_regularizer_is_named_after_its_variable(self):
        def regularizer(v):
            return tf.reduce_sum(v, name="loss")

        with tf.variable_scope("s", regularizer=regularizer):
            tf.get_variable("v", [2])
            tf.get_variable("w", [2], regularizer=tf.no_regularizer)
        (loss,) = tf.losses.get_regularization_losses()
        self.assertEqual(loss.name, "s/v/Regularizer/loss:0")


class GettersTest(tf.test.TestCase):
    def test_what_a_custom_getter_adds_is_not_named_after_the_scope(self):
        def twice(getter, name, *args, **kwargs):
            with tf.name_scope("twice"):
                return tf.multiply(getter(name, *args, **kwargs), 2.0, name="value")

        with tf.variable_scope("s", custom_getter=twice):
            doubled = tf.get_variable("v", [2])
        self.assertEqual(doubled.name, "twice/value:0")
        self.assertEqual([v.name for v in tf.global_variables()], ["s/v:0"])

    def test_a_custom_getter_may_make_another_variable_in_a_scope_that_reuses(self):
        def other(getter, name, **arguments):
            getter(name, **arguments)
            return getter(f"{name}_other", **{**arguments, "reuse": None})

        tf.get_variable("v", [2])
        with tf.variable_scope("", reuse=True, custom_getter=other):
            made, found = tf.get_variable("v", [2]), tf.get_variable("v", [2])
        self.assertEqual(made.op.name, "v_other")
        self.assertIs(found, made)

    def test_a_custom_getter_gets_all_by_keywords(self):
        def renamed(getter, **arguments):
            return getter(**{**arguments, "name": arguments["name"] + "_renamed"})

        with tf.variable_scope("s", custom_getter=renamed):
            v = tf.get_variable("v", [2], custom_getter=renamed)
        self.assertEqual(v.op.name, "s/v_renamed_renamed")

    def test_initializers_take_what_they_are_a_part_of_as_third(self):
        kinds = (tf.zeros_initializer, tf.constant_initializer, tf.truncated_normal_initializer)
        for kind in kinds:
            self.assertEqual(kind()([2], tf.float32, None).shape, [2])

    def test_a_custom_getter_is_a_function(self):
        with self.assertRaisesRegex(ValueError, "custom_getter is not callable: 3"):
            with tf.variable_scope("s", custom_getter=3):
                pass
        with self.assertRaisesRegex(ValueError, "custom_getter is not callable: 3"):
            tf.get_variable("v", [2], custom_getter=3)

    def test_whether_a_name_scope_is_entered_is_a_bool(self):
        with self.assertRaisesRegex(TypeError, "auxiliary_name_scope must be a bool"):
            with tf.variable_scope("s", auxiliary_name_scope="no"):
                pass


class ThreadsTest(tf.test.TestCase):
    def test_each_thread_begins_outside_of_all_scopes_and_shares_the_variables(self):
        graph, names, errors = tf.get_default_graph(), [], []

        def work():
            with graph.as_default(), tf.variable_scope("s"):
                names.append(tf.get_variable_scope().name)
                try:
                    tf.get_variable("v", [])
                except ValueError as error:
                    errors.append(error)

        with tf.variable_scope("s"):
            tf.get_variable("v", [])
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            self.assertEqual(tf.get_variable_scope().name, "s")
        self.assertEqual(names, ["s"])
        self.assertRegex(str(errors), "s/v already exists")


class NamesTest(tf.test.TestCase):
    def test_a_scope_is_entered_again_with_a_name_scope_of_its_own(self):
        scope = tf.variable_scope("a", reuse=tf.AUTO_REUSE)
        names = tf.name_scope("x")
        for index, (place, prefix) in enumerate((("a", "a/x/"), ("a_1", "a_1/x/"))):
            with scope as entered:
                self.assertEqual(entered.name, "a")
                self.assertEqual(tf.no_op().name, f"{place}/NoOp")
                v = tf.get_variable("v", [])
                with names as found:
                    self.assertEqual(found, prefix)
        self.assertEqual((v.op.name, names.name, index), ("a/v", "x", 1))

    def test_a_scope_that_is_entered_in_itself_is_in_the_outer_one(self):
        scope = tf.variable_scope("a")
        with scope, scope as inner:
            self.assertEqual(inner.name, "a/a")
        self.assertEqual(tf.get_variable_scope().name, "")

    def test_the_name_that_was_made_unique_stays_when_a_scope_is_entered_again(self):
        with tf.variable_scope(None, "b"):
            pass
        scope = tf.variable_scope(None, "b", reuse=None)
        for _ in range(2):
            with scope as entered:
                self.assertEqual(entered.name, "b_1")
        with self.assertRaisesRegex(TypeError, "name_or_scope is required"):
            tf.variable_scope(None)

    def test_a_name_that_was_made_unique_is_taken(self):
        names = []
        for name in ("s", "s", "s_1", "s_1"):
            with tf.name_scope(name) as scope:
                names.append(scope)
        self.assertEqual(names, ["s/", "s_1/", "s_1_1/", "s_1_2/"])

    def test_a_scope_is_named_as_nodes_are(self):
        for name in ("_", "a b", "-x"):
            with self.assertRaisesRegex(ValueError, "is not a valid scope name"):
                with tf.name_scope(name):
                    pass
        with tf.name_scope("s"), tf.name_scope("_inner") as scope:
            self.assertEqual(scope, "s/_inner/")


if __name__ == "__main__":
    unittest.main()
