"""Estimators initialize what an input function makes after what it is made of."""

import tempfile
import unittest

import troupe as tf


def _inputs():
    """Numbers that begin behind the number of a word in a table."""
    table = tf.contrib.lookup.index_table_from_tensor(["a", "b", "</s>"])
    first = tf.cast(table.lookup(tf.constant("</s>")), tf.int32)
    numbers = tf.data.Dataset.range(6).map(lambda x: tf.cast(x, tf.int32) + first)
    return numbers.batch(2).map(lambda x: {"x": x})


def _model(features, labels, mode, params):
    scale = tf.get_variable("scale", [], initializer=tf.zeros_initializer())
    loss = tf.reduce_sum(scale * tf.cast(features["x"], tf.float32))
    step = tf.train.get_or_create_global_step()
    scaffold = None
    if params["has_own_operation"]:
        own = tf.group(tf.local_variables_initializer(), tf.tables_initializer())
        scaffold = tf.train.Scaffold(local_init_op=own)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    return tf.estimator.EstimatorSpec(
        mode, {"x": features["x"]}, loss, train_op, scaffold=scaffold
    )


class InputInitializersTest(unittest.TestCase):
    def test_datasets_are_made_of_what_tables_give(self):
        for has_own in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                estimator = tf.estimator.Estimator(
                    _model, folder, params={"has_own_operation": has_own}
                )
                estimator.train(_inputs).train(_inputs)
                self.assertEqual(estimator.evaluate(_inputs)["global_step"], 6)
                found = [int(each["x"]) for each in estimator.predict(_inputs)]
                self.assertEqual(found, [2, 3, 4, 5, 6, 7])

    def test_tables_alone_are_initialized_by_their_operation(self):
        with tf.Graph().as_default():
            made = []

            def inputs():
                made.append(len(tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS)))
                return _inputs()

            def model(features, labels, mode, params):
                made.append(len(tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS)))
                return _model(features, labels, mode, params)

            with tempfile.TemporaryDirectory() as folder:
                estimator = tf.estimator.Estimator(
                    model, folder, params={"has_own_operation": False}
                )
                estimator.train(inputs)
            self.assertEqual(made, [0, 1])  # the iterator's is not among them


if __name__ == "__main__":
    unittest.main()
