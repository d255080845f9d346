"""Graphs are trained, evaluated and run without an estimator, as by TensorFlow 1.15."""

import os
import tempfile
import unittest

import numpy as np

import troupe as tf

learn = tf.contrib.learn


def linear():
    """A graph that learns w = 2, with its parts."""
    graph = tf.Graph()
    with graph.as_default():
        step = tf.train.get_or_create_global_step()
        x = tf.placeholder(tf.float32, [None])
        w = tf.Variable(0.5, name="w")
        loss = tf.reduce_mean(tf.square(w * x - 2 * x), name="loss")
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    return graph, x, w, loss, train_op


def trained(folder, values=((1.0, 2.0),), **options):
    graph, x, _, loss, train_op = linear()
    feeds = iter(values if len(values) > 1 else values * 100)
    return learn.train(
        graph, folder, train_op, loss, feed_fn=lambda: {x: np.float32(next(feeds))}, **options
    )


class GraphActionsTest(tf.test.TestCase):
    def test_a_training_goes_on_from_its_checkpoint_until_the_feeds_end(self):
        folder = tempfile.mkdtemp()
        losses = [trained(folder, steps=3), trained(folder, steps=2)]
        losses.append(trained(folder, [[1.0], [2.0]], max_steps=20))
        self.assertAllClose(losses, [0.3515625, 0.02197266, 0.00562501])
        path = tf.train.latest_checkpoint(folder)
        self.assertEqual(os.path.basename(path), "model.ckpt-7")
        graph, x, w, loss, _ = linear()
        with graph.as_default():
            results, step = learn.evaluate(
                graph, tempfile.mkdtemp(), folder, {"loss": loss, "w": tf.identity(w)},
                feed_fn=lambda: {x: [1.0]}, max_steps=2,
            )  # fmt: skip
        self.assertEqual(step, 7)
        self.assertAllClose(results["loss"], 5.625079e-05)
        self.assertAllClose(learn.infer(path, {"w": w})["w"], 1.9925)
        self.assertAllClose(learn.infer(None, {"w": w})["w"], 0.5)
        runs = learn.run_n({"l": loss}, {x: [3.0]}, restore_checkpoint_path=path, n=2)
        self.assertAllClose([run["l"] for run in runs], [0.00050625] * 2)
        runs = learn.run_feeds({"l": loss}, [{x: [1.0]}, {x: [2.0]}])
        self.assertAllClose([run["l"] for run in runs], [2.25, 9.0])

    def test_an_evaluation_ends_with_its_queue_and_writes_results(self):
        graph, folder = tf.Graph(), tempfile.mkdtemp()
        with graph.as_default():
            tf.train.get_or_create_global_step()
            number = tf.train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue()
            value, update = tf.metrics.mean(number)
            tf.Variable(1.0)
        results, step = learn.evaluate(graph, folder, None, {"m": value}, update_op=update)
        self.assertEqual((results["m"], step), (2.0, 0))
        events = tf.train.summary_iterator(os.path.join(folder, os.listdir(folder)[0]))
        written = [(v.tag, v.simple_value) for event in events for v in event.summary.value]
        self.assertEqual(written, [("m", 2.0)])

    def test_errors(self):
        graph, x, _, loss, train_op = linear()
        for text, arguments in {
            "Can not provide both": (graph, "folder", train_op, loss),
            "Missing train_op": (graph, "folder", None, loss),
            "Missing loss_op": (graph, "folder", train_op, None),
            "should be non-empty": (graph, "", train_op, loss),
        }.items():
            options = {"steps": 1, "max_steps": 2} if "both" in text else {}
            with self.assertRaisesRegex(ValueError, text):
                learn.train(*arguments, **options)
        with self.assertRaises(learn.NanLossDuringTrainingError):
            nothing = {x: [float("nan")]}
            learn.train(graph, tempfile.mkdtemp(), train_op, loss, feed_fn=lambda: nothing)
        with self.assertRaisesRegex(ValueError, "output_dict is invalid"):
            learn.run_n({})


if __name__ == "__main__":
    unittest.main()
