"""Training and evaluation by tf.contrib.slim and tf.contrib.training."""

import contextlib
import io
import pathlib
import tempfile
import unittest

import numpy as np

import troupe as tf

slim = tf.contrib.slim
X = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]], np.float32)
Y = X @ np.array([[2.0], [-3.0]], np.float32)


def build(**options):
    predictions = slim.linear(X, 1)
    slim.losses.mean_squared_error(predictions, Y)
    loss = slim.losses.get_total_loss()
    optimizer = tf.train.GradientDescentOptimizer(0.2)
    return predictions, loss, slim.learning.create_train_op(loss, optimizer, **options)


class SlimTrainingTest(tf.test.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def train(self, train_op, logdir, **options):
        with contextlib.redirect_stderr(io.StringIO()):
            # The chief's own thread would save the first step at any time.
            return slim.learning.train(train_op, logdir, save_interval_secs=0, **options)

    def test_a_training_ends_at_its_step_and_leaves_a_checkpoint(self):
        _, _, train_op = build(summarize_gradients=True)
        self.assertIs(tf.get_collection(tf.GraphKeys.TRAIN_OP)[-1], train_op)
        loss = self.train(train_op, self.folder, number_of_steps=60, trace_every_n_steps=50)
        self.assertLess(loss, 0.1)
        self.assertEqual(
            pathlib.Path(tf.train.latest_checkpoint(self.folder)).name, "model.ckpt-60"
        )
        self.assertLen(list(pathlib.Path(self.folder).glob("tf_trace-*.json")), 2)
        tf.reset_default_graph()
        _, _, train_op = build()
        again = self.train(train_op, self.folder, number_of_steps=61)
        self.assertLess(again, 0.1)

    def test_a_training_needs_no_folder(self):
        _, _, train_op = build()
        seen = []

        def step(session, operation, global_step, options):
            seen.append(session.run(global_step))
            return session.run(operation), len(seen) == 3

        self.train(train_op, None, train_step_fn=step)
        self.assertEqual(seen, [0, 1, 2])
        tf.reset_default_graph()
        _, _, train_op = build()
        for options, text in (
            ({"number_of_steps": 0}, "positive number"),
            ({"trace_every_n_steps": 2}, "because logdir=None"),
            ({"saver": tf.train.Saver()}, "Cannot provide saver"),
        ):  # fmt: skip
            with self.assertRaisesRegex(ValueError, text):
                self.train(train_op, None, **options)
        with self.assertRaisesRegex(ValueError, "cannot be None"):
            self.train(None, self.folder)

    def test_gradients_are_multiplied_and_clipped(self):
        variable = tf.get_variable("v", initializer=[3.0, 4.0])
        rows = tf.get_variable("rows", initializer=[[3.0], [4.0]])
        loss = tf.reduce_sum(variable) * 10.0 + tf.reduce_sum(tf.gather(rows, [1, 1]))
        optimizer = tf.train.GradientDescentOptimizer(1.0)
        train_op = slim.learning.create_train_op(
            loss, optimizer, clip_gradient_norm=5.0, gradient_multipliers={"v": 0.5, rows: 2.0}
        )
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(train_op)
            moved = 5.0 / np.sqrt(2.0)
            self.assertAllClose(session.run(variable), [3.0 - moved, 4.0 - moved])
            self.assertAllClose(session.run(rows), [[3.0], [0.0]])
        for given in ([], {"v": None}):
            with self.assertRaises(ValueError):
                slim.learning.multiply_gradients([(None, variable)], given)

    def test_updates_run_before_the_loss(self):
        average = tf.get_variable("average", initializer=1.0, trainable=False)
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, average.assign(5.0))
        variable = tf.get_variable("v", initializer=1.0)
        optimizer = tf.train.GradientDescentOptimizer(0.0)
        train_op = tf.contrib.training.create_train_op(variable * 1.0, optimizer)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(train_op)
            self.assertEqual(session.run(average), 5.0)

    def evaluation(self):
        predictions, _, _ = build()
        tf.summary.scalar("extra", 4.0)
        value, update = slim.metrics.streaming_mean_absolute_error(predictions, Y)
        return {"num_evals": 3, "eval_op": [update], "final_op": value}

    def test_a_checkpoint_is_evaluated(self):
        self.train(build()[2], self.folder, number_of_steps=60)
        tf.reset_default_graph()
        path = tf.train.latest_checkpoint(self.folder)
        found = slim.evaluation.evaluate_once("", path, self.folder, **self.evaluation())
        self.assertLess(found, 0.3)
        events = [
            each.tag
            for file in pathlib.Path(self.folder).glob("events*")
            for event in tf.train.summary_iterator(str(file))
            for each in event.summary.value
        ]
        self.assertIn("extra", events)
        tf.reset_default_graph()
        repeated = slim.evaluation.evaluation_loop(
            "", self.folder, self.folder, **self.evaluation(), max_number_of_evaluations=1
        )
        self.assertAllClose(repeated, found)

    def test_a_monitored_training_ends_by_its_hooks(self):
        _, _, train_op = build()
        hooks = [tf.train.StopAtStepHook(num_steps=4)]
        loss = tf.contrib.training.train(train_op, self.folder, hooks=hooks)
        self.assertGreater(loss, 0.0)
        with self.assertRaisesRegex(ValueError, "logdir cannot be None"):
            tf.contrib.training.train(train_op, None)

    def test_variables_and_tensors_are_described(self):
        w = tf.get_variable("w", [2, 3])
        tf.get_variable("b", [3])
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            sizes = slim.model_analyzer.analyze_vars(tf.trainable_variables(), print_info=True)
        self.assertEqual(sizes, (9, 36))
        self.assertIn("w:0 (float32 2x3) [6, bytes: 24]", text.getvalue())
        self.assertEqual(slim.model_analyzer.tensor_description(w), "(float32 2x3)")
        self.assertGreater(slim.model_analyzer.analyze_ops(tf.get_default_graph()), 0)

    def test_summaries_are_named_after_tensors(self):
        value = tf.constant([0.0, 2.0], name="value")
        slim.summaries.add_histogram_summaries([value], prefix="in")
        slim.summaries.add_zero_fraction_summary(value)
        slim.summaries.add_scalar_summary(value[1], "second", print_summary=True)
        with tf.Session() as session, contextlib.redirect_stderr(io.StringIO()):
            text = session.run(tf.summary.merge_all())
        found = {each.tag: each for each in tf.Summary.FromString(text).value}
        zeros = "value/Fraction_of_Zero_Values"
        self.assertEqual(set(found), {"in/value", zeros, "second"})
        self.assertEqual(found[zeros].simple_value, 0.5)

    def test_losses_of_before_take_predictions_first(self):
        losses = slim.losses
        guess, truth = [[1.0, 2.0], [3.0, 5.0]], [[1.0, 1.0], [1.0, 1.0]]
        expected = [
            (losses.absolute_difference(guess, truth), 7.0 / 4),
            (losses.mean_squared_error(guess, truth, weights=[1.0, 0.0]), 0.5),
            (losses.hinge_loss([[0.5, -2.0]], [[1.0, 0.0]]), [[0.5, 0.0]]),
            (losses.cosine_distance([[1.0, 0.0]], [[0.0, 1.0]], 1), 1.0),
            (losses.softmax_cross_entropy([[0.0, 0.0]], [[1.0, 0.0]]), np.log(2)),
            (losses.sparse_softmax_cross_entropy([[0.0, 0.0]], [[1]]), np.log(2)),
            (losses.sigmoid_cross_entropy([[0.0, 0.0]], [[1.0, 0.0]]), np.log(2)),
            (losses.log_loss([0.5, 0.5], [1.0, 0.0]), np.log(2)),
        ]
        self.assertLen(losses.get_losses(), 7)
        with tf.Session() as session:
            for tensor, value in expected:
                self.assertAllClose(session.run(tensor), value)


if __name__ == "__main__":
    unittest.main()
