"""Which tensors of a step the debugger fetches."""

import re
import unittest

import numpy as np

import troupe as tf
import troupe.debug
from troupe._src.debugger.watches import watched_tensors

EVERY = troupe.debug.WatchOptions()


def names(fetches, feed_dict=None, options=EVERY):
    graph = tf.get_default_graph()
    return [tensor.name for tensor in watched_tensors(graph, fetches, feed_dict, options)]


class WatchesTest(tf.test.TestCase):
    def test_they_are_those_that_the_step_computes_in_the_order_of_the_graph(self):
        x = tf.placeholder(tf.float32, name="x")
        doubled = tf.multiply(x, 2.0, name="doubled")
        tf.square(x, name="unused")
        with tf.control_dependencies([doubled]):
            done = tf.no_op("done")
        self.assertEqual(names([done]), ["x:0", "Const:0", "doubled:0"])

    def test_what_feeds_replace_is_not_computed(self):
        x = tf.placeholder(tf.float32, name="x")
        y = tf.square(x, name="y")
        z = tf.negative(y, name="z")
        self.assertEqual(names({"z": z}, {"y:0": 2.0}), ["z:0"])

    def test_patterns_of_names_types_and_dtypes_must_all_match(self):
        x = tf.placeholder(tf.float32, name="x")
        with tf.name_scope("a"):
            y = tf.cast(tf.square(x, name="square"), tf.int32, name="cast")
        options = troupe.debug.WatchOptions(node_name_regex_whitelist="a/")
        self.assertEqual(names(y, options=options), ["a/square:0", "a/cast:0"])
        options = troupe.debug.WatchOptions(None, "a/", "Squ|Cast", "int")
        self.assertEqual(names(y, options=options), ["a/cast:0"])
        with self.assertRaises(re.error):
            troupe.debug.WatchOptions(node_name_regex_whitelist="(")
        with self.assertRaisesRegex(ValueError, "DebugNanCount"):
            troupe.debug.WatchOptions(["DebugNanCount"])

    def test_handles_of_variables_and_tables_are_left_out(self):
        v = tf.get_variable("v", initializer=1.0)
        self.assertEqual([each for each in names(v + 1) if "handle" in each], [])

    def test_branches_and_iterations_are_left_out_and_what_comes_of_them_is_not(self):
        a = tf.placeholder(tf.bool, name="a")
        b = tf.placeholder(tf.bool, name="b")
        x = tf.constant(1.0)

        def nested():
            inner = tf.cond(b, lambda: x * 2, lambda: tf.negative(x))
            return tf.identity(inner, name="of_inner")

        def loop():
            body = lambda i, y: (i + 1, y + tf.cond(b, lambda: y, lambda: x))  # noqa: E731
            return tf.while_loop(lambda i, _: i < 3, body, [tf.constant(0), x])[1]

        y = tf.cond(a, nested, loop)
        with tf.control_dependencies([y]):
            z = tf.add(tf.while_loop(lambda i: i < 3.0, lambda i: i + 1, [y]), 1, name="z")
        found = watched_tensors(tf.get_default_graph(), z, None, EVERY)
        shown = [tensor.name for tensor in found]
        self.assertIn("z:0", shown)
        self.assertIn(y.name, shown)
        self.assertNotIn("cond/of_inner:0", shown)
        with self.session() as session:
            for feeds in ((True, True), (True, False), (False, True), (False, False)):
                values = session.run(found, dict(zip((a, b), feeds)))
                self.assertEqual(len(values), len(shown))

    def test_the_gradients_of_branches_and_loops_can_be_fetched_with_them(self):
        a = tf.placeholder(tf.bool)
        v = tf.get_variable("v", initializer=[1.0, 2.0])
        y = tf.cond(a, lambda: v * v, lambda: tf.exp(v))
        z = tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y * v), [0, y])[1]
        train = tf.train.AdamOptimizer().minimize(tf.reduce_sum(z))
        found = watched_tensors(tf.get_default_graph(), train, None, EVERY)
        self.assertGreater(len(found), 20)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            for value in (True, False):
                for each in session.run([train, found], {a: value})[1]:
                    self.assertTrue(np.all(np.isfinite(np.asarray(each, np.float64))))


if __name__ == "__main__":
    unittest.main()
