"""Scopes of arguments, and variables of models."""

import tempfile
import unittest

import numpy as np

import troupe as tf

framework, slim = tf.contrib.framework, tf.contrib.slim


@framework.add_arg_scope
def shown(value, left="(", right=")"):
    """A value between two signs."""
    return f"{left}{value}{right}"


class ArgScopeTest(unittest.TestCase):
    def test_the_name_scope_has_no_slash_at_its_end(self):
        self.assertEqual(framework.get_name_scope(), "")
        with tf.name_scope("one"), tf.name_scope("two"):
            self.assertEqual(framework.get_name_scope(), "one/two")

    def test_variables_that_are_not_trained_are_in_a_collection(self):
        one, other = framework.local_variable(1.0, name="own"), framework.global_variable(2.0)
        self.assertEqual(tf.local_variables(), [one])
        self.assertEqual((tf.global_variables(), tf.trainable_variables()), ([other], []))
        self.assertEqual(one.op.name, "own")
        unknown = framework.local_variable(tf.placeholder(tf.float32), validate_shape=False)
        self.assertIsNone(unknown.shape.rank)

    def test_deprecated_functions_are_called(self):
        @framework.deprecated(None, "Use another.")
        def seven():
            """Gives 7."""
            return 7

        self.assertEqual(seven(), 7)

    def test_inner_scopes_and_arguments_win(self):
        with framework.arg_scope([shown], left="<", right=">") as outer:
            self.assertEqual(shown(1), "<1>")
            with framework.arg_scope([shown], right="|"):
                self.assertEqual(shown(1), "<1|")
                self.assertEqual(shown(1, right="!"), "<1!")
            self.assertEqual(shown(1), "<1>")
        self.assertEqual(shown(1), "(1)")
        with framework.arg_scope(outer):
            self.assertEqual(shown(1), "<1>")

    def test_a_scope_ends_with_an_error(self):
        with self.assertRaises(KeyError), framework.arg_scope([shown], left="<"):
            raise KeyError
        self.assertEqual(shown(1), "(1)")

    def test_what_takes_arguments_of_scopes_is_known(self):
        self.assertTrue(framework.has_arg_scope(shown))
        self.assertEqual(framework.arg_scoped_arguments(shown), ("left", "right"))
        self.assertEqual(shown.__doc__, "A value between two signs.")
        with self.assertRaisesRegex(ValueError, "not decorated with @add_arg_scope"):
            with framework.arg_scope([len], left="<"):
                pass
        with self.assertRaisesRegex(TypeError, "list/tuple or reused scope"):
            with framework.arg_scope(shown, left="<"):
                pass
        with self.assertRaisesRegex(ValueError, "kwargs must be empty"):
            with framework.arg_scope({}, left="<"):
                pass


class ModelVariablesTest(tf.test.TestCase):
    def test_layers_make_their_variables_as_scopes_say(self):
        with slim.arg_scope([slim.fully_connected], activation_fn=None, biases_initializer=None):
            with slim.arg_scope([slim.model_variable], device="/cpu:0"):
                slim.fully_connected(np.ones((2, 3), np.float32), 4, scope="top")
        self.assertEqual([each.op.name for each in slim.get_variables()], ["top/weights"])
        self.assertEqual(slim.get_model_variables()[0].device, "/device:CPU:0")

    def test_variables_are_found_by_scope_and_suffix(self):
        with tf.variable_scope("a"):
            first = framework.model_variable("w", [2])
            other = framework.variable("v", [2], trainable=False)
        last = framework.model_variable("w", [2])
        self.assertEqual(framework.get_variables(), [first, other, last])
        self.assertEqual(framework.get_variables("a/"), [first, other])
        self.assertEqual(framework.get_variables(suffix="v"), [other])
        self.assertEqual(framework.get_variables_by_name("w"), [first, last])
        self.assertEqual(framework.get_model_variables(), [first, last])
        self.assertEqual(framework.get_trainable_variables(), [first, last])
        self.assertEqual(framework.get_variables_to_restore(exclude=["a"]), [last])
        self.assertIs(framework.get_unique_variable("a/w"), first)
        with self.assertRaisesRegex(ValueError, "Couldn't find variable b"):
            framework.get_unique_variable("b")
        framework.add_model_variable(other)
        framework.add_model_variable(other)
        self.assertEqual(framework.get_model_variables(), [first, last, other])

    def test_values_are_assigned_by_name(self):
        variable = framework.model_variable("w", [2, 2])
        op, feeds = framework.assign_from_values({"w": np.arange(4)})
        with tf.Session() as session:
            session.run(op, feeds)
            self.assertAllEqual(session.run(variable), [[0, 1], [2, 3]])
        with self.assertRaisesRegex(ValueError, "Variable x wasn't found"):
            framework.assign_from_values({"x": np.arange(4)})

    def test_values_of_a_checkpoint_are_assigned(self):
        with tempfile.TemporaryDirectory() as folder:
            with tf.Graph().as_default(), tf.Session() as session:
                tf.get_variable("old", initializer=[1.0, 2.0])
                session.run(tf.global_variables_initializer())
                path = tf.train.Saver().save(session, f"{folder}/model")
            new = framework.model_variable("new", [2])
            assign = framework.assign_from_checkpoint_fn(path, {"old": new})
            with tf.Session() as session:
                assign(session)
                self.assertAllEqual(session.run(new), [1, 2])
            with self.assertRaisesRegex(ValueError, r"missing variable \[new\]"):
                framework.assign_from_checkpoint(path, [new])
            _, feeds = framework.assign_from_checkpoint(path, [new], ignore_missing_vars=True)
            self.assertEqual(feeds, {})
            wide = framework.model_variable("wide", [3])
            with self.assertRaisesRegex(ValueError, "must be unchanged for old"):
                framework.assign_from_checkpoint(path, {"old": wide})

    def test_variables_of_a_checkpoint_are_listed_and_loaded(self):
        v = tf.get_variable("v", initializer=[1.0, 2.0])
        with tempfile.TemporaryDirectory() as folder, tf.Session() as session:
            session.run(tf.global_variables_initializer())
            path = tf.train.Saver().save(session, f"{folder}/model")
            self.assertEqual(framework.list_variables(path), [("v", [2])])
            self.assertAllEqual(framework.load_variable(path, "v"), [1, 2])
            self.assertAllEqual(framework.load_checkpoint(folder).get_tensor("v"), [1, 2])
            session.run(v.assign([3.0, 4.0]))
            framework.init_from_checkpoint(path, {"v": v})
            session.run(v.initializer)
            self.assertAllEqual(session.run(v), [1, 2])

    def test_no_op_tells_what_memory_holds(self):
        for name in ("BytesInUse", "BytesLimit", "MaxBytesInUse"):
            with self.assertRaisesRegex(tf.errors.NotFoundError, name):
                getattr(tf.contrib.memory_stats, name)()


if __name__ == "__main__":
    unittest.main()
