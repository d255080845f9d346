"""Trainings by tf.contrib.layers.optimize_loss."""

import unittest

import numpy as np
import troupe as tf

layers = tf.contrib.layers


class OptimizeLossTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.x = tf.get_variable("x", initializer=1.0)
        self.y = tf.get_variable("y", initializer=2.0)
        # The gradients are 4 and 2, and need both values, which so are those before the update.
        self.loss = tf.square(self.x * self.y) / 2.0
        self.step = tf.train.get_or_create_global_step()

    def after_a_step(self, train, feeds=None):
        """The loss that the step gives, and then x, y and the number of steps."""
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            loss = session.run(train, feeds)
            return [loss, *session.run([self.x, self.y, self.step])]

    def test_optimizers_are_given_as_names_classes_functions_and_objects(self):
        make = tf.train.GradientDescentOptimizer
        for rate, optimizer in (
            (0.1, "SGD"), (0.1, make), (0.1, lambda rate: make(rate)), (None, lambda: make(0.1)),
            (None, make(0.1)), (tf.constant(0.1), "SGD"),
        ):  # fmt: skip
            train = layers.optimize_loss(self.loss, self.step, rate, optimizer)
            self.assertAllClose(self.after_a_step(train), [2.0, 0.6, 1.8, 1])

    def test_every_named_optimizer_trains(self):
        for name in layers.OPTIMIZER_CLS_NAMES:
            train = layers.optimize_loss(self.loss, self.step, 0.1, name, summaries=[])
            self.assertLess(self.after_a_step(train)[1], 1.0)

    def test_a_rate_that_decays_is_that_of_the_step(self):
        train = layers.optimize_loss(
            self.loss, self.step, 0.2, "SGD",
            learning_rate_decay_fn=lambda rate, step: rate / (2.0 + tf.cast(step, tf.float32)),
        )  # fmt: skip
        self.assertAllClose(self.after_a_step(train), [2.0, 0.6, 1.8, 1])
        self.assertEqual(
            sum(v.name == "OptimizeLoss/learning_rate:0" for v in tf.global_variables()), 1
        )

    def test_gradients_are_multiplied_and_clipped(self):
        train = layers.optimize_loss(
            self.loss, self.step, 0.1, "SGD", gradient_multipliers={self.x: 0.75, "y:0": 2.0},
            clip_gradients=1.0,
        )  # fmt: skip
        # 3 and 4, whose norm is 5.
        self.assertAllClose(self.after_a_step(train), [2.0, 1 - 0.06, 2 - 0.08, 1])

    def test_noise_is_added_to_gradients(self):
        tf.set_random_seed(1)
        train = layers.optimize_loss(self.loss, self.step, 0.1, "SGD", gradient_noise_scale=0.5)
        _, x, y, _ = self.after_a_step(train)
        for new, plain in ((x, 0.6), (y, 1.8)):
            self.assertNotEqual(new, np.float32(plain))
            self.assertAllClose(new, plain, atol=0.1)

    def test_norms_far_above_those_before_are_clipped_to_their_mean(self):
        scale = tf.placeholder(tf.float32, [])
        clip = layers.adaptive_clipping_fn(global_step=self.step, std_factor=1.0, decay=0.9)
        gradients = [(tf.constant([3.0, 4.0]) * scale, self.x), (None, self.y)]
        clipped, nothing = clip(gradients)
        count = tf.assign_add(self.step, 1)
        self.assertIsNone(nothing[0])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(30):
                found = session.run(clipped[0], {scale: 1.0})
                session.run(count)
            self.assertAllClose(np.linalg.norm(found), 5.0, rtol=0.02)
            far = np.linalg.norm(session.run(clipped[0], {scale: 1000.0}))
        self.assertLess(far, 5000.0 / 50)

    def test_update_operations_run_before_the_loss(self):
        counted = tf.get_variable("counted", initializer=0.0, trainable=False)
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, counted.assign_add(1.0))
        train = layers.optimize_loss(self.loss, None, 0.1, "SGD", increment_global_step=False)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(train)
            self.assertEqual(session.run([counted, self.step]), [1.0, 0])

    def test_summaries_are_those_that_were_asked_for(self):
        layers.optimize_loss(self.loss, self.step, 0.1, "SGD", clip_gradients=5.0, name="a")
        layers.optimize_loss(
            self.loss, self.step, 0.1, "SGD", summaries=["gradients", "gradient_norm"], name="b"
        )
        names = sorted(tensor.op.name for tensor in tf.get_collection(tf.GraphKeys.SUMMARIES))
        self.assertEqual(
            [name for name in names if name.startswith("a/")],
            ["a/global_norm/clipped_gradient_norm", "a/global_norm/gradient_norm", "a/loss"],
        )
        self.assertEqual(
            [name for name in names if name.startswith("b/")],
            [
                "b/global_norm/gradient_norm", "b/gradient_norm/x_0", "b/gradient_norm/y_0",
                "b/gradients/x_0", "b/gradients/y_0",
            ],
        )  # fmt: skip

    def test_what_cannot_be_a_training_is_an_error(self):
        for arguments, text in (
            ((0.1, "SDG"), "Optimizer name should be one of"),
            ((None, "SGD"), "Learning rate is None"),
            ((-0.1, "SGD"), "Invalid learning_rate -0.1"),
            ((1, "SGD"), "should be 0d Tensor or float"),
            ((0.1, 3), "Unrecognized optimizer"),
            ((0.1, lambda rate: rate), "function should return"),
        ):
            with self.assertRaisesRegex(ValueError, text):
                layers.optimize_loss(self.loss, self.step, *arguments)
        for options, text in (
            ({"summaries": ["weights"]}, "Summaries should be one of"),
            ({"clip_gradients": "1"}, "Unknown type"),
        ):
            with self.assertRaisesRegex(ValueError, text):
                layers.optimize_loss(self.loss, self.step, 0.1, "SGD", **options)
        with self.assertRaisesRegex(ValueError, "Expected scalar shape"):
            layers.optimize_loss(tf.ones([2]), self.step, 0.1, "SGD")


if __name__ == "__main__":
    unittest.main()
