"""Estimators of generative adversarial networks."""

import tempfile
import unittest

import numpy as np

import troupe as tf

gan = tf.contrib.gan
estimators = gan.estimator

_MEAN = np.float32([2.0, -1.0])


def _generator(inputs, mode):
    assert mode in (tf.estimator.ModeKeys.TRAIN, "eval", "infer")
    return inputs + tf.get_variable("shift", [2], initializer=tf.zeros_initializer())


def _discriminator(data, _):
    hidden = tf.layers.dense(data, 8, tf.nn.leaky_relu, name="hidden")
    return tf.layers.dense(hidden, 1, name="logits")


def _inputs(seed=0):
    random = np.random.RandomState(seed)
    noise = random.randn(256, 2).astype(np.float32) / 2
    real = _MEAN + random.randn(256, 2).astype(np.float32) / 2
    return tf.data.Dataset.from_tensor_slices((noise, real)).repeat().batch(64)


class GANEstimatorTest(tf.test.TestCase):
    def estimator(self, **options):
        arguments = {
            "model_dir": self.get_temp_dir(),
            "generator_fn": _generator,
            "discriminator_fn": _discriminator,
            "generator_loss_fn": gan.losses.modified_generator_loss,
            "discriminator_loss_fn": gan.losses.modified_discriminator_loss,
            "generator_optimizer": lambda: tf.train.AdamOptimizer(0.02, 0.5),
            "discriminator_optimizer": tf.train.AdamOptimizer(0.02, 0.5),
        }
        return estimators.GANEstimator(**{**arguments, **options})

    def test_it_trains_evaluates_and_predicts(self):
        def metrics(model):
            return {"distance": tf.metrics.mean(model.real_data - model.generated_data)}

        estimator = self.estimator(
            get_hooks_fn=gan.get_joint_train_hooks(gan.GANTrainSteps(1, 2)),
            get_eval_metric_ops_fn=metrics, add_summaries=estimators.SummaryType.VARIABLES,
        )  # fmt: skip
        estimator.train(_inputs, steps=300)
        self.assertAllClose(estimator.get_variable_value("Generator/shift"), _MEAN, atol=0.6)
        found = estimator.evaluate(_inputs, steps=4)
        self.assertEqual(found["global_step"], 300)
        total = found["generator_loss"] + found["discriminator_loss"]
        self.assertAllClose(found["loss"], total, rtol=1e-4)
        self.assertBetween(abs(found["distance"]), 0.0, 0.6)
        noise = np.zeros([3, 2], np.float32)
        predictions = list(
            estimator.predict(lambda: tf.data.Dataset.from_tensor_slices(noise).batch(3))
        )
        self.assertEqual(len(predictions), 3)
        self.assertAllClose(predictions[0], estimator.get_variable_value("Generator/shift"))

    def test_arguments_of_wrong_types_are_refused(self):
        for error, options in (
            (ValueError, {"generator_loss_fn": None}), (ValueError, {"discriminator_loss_fn": 1}),
            (ValueError, {"use_loss_summaries": "no"}), (TypeError, {"get_hooks_fn": 1}),
        ):  # fmt: skip
            with self.assertRaises(error):
                self.estimator(**options)

    def test_predictions_take_no_labels_and_metrics_are_dicts(self):
        estimator = self.estimator(get_eval_metric_ops_fn=lambda model: [])
        with self.assertRaisesRegex(ValueError, "must be `None`"):
            estimator.model_fn(tf.zeros([2, 2]), tf.zeros([2, 2]), "infer", None)
        with self.assertRaisesRegex(TypeError, "must return a dict"):
            estimator.model_fn(tf.zeros([2, 2]), tf.zeros([2, 2]), "eval", None)


class StarGANEstimatorTest(tf.test.TestCase):
    def test_it_trains_evaluates_and_predicts(self):
        def generator(images, targets):
            shift = tf.layers.dense(targets, 3, name="dense")
            return images + shift[:, None, None, :]

        def discriminator(images, domains):
            flat = tf.layers.flatten(images)
            return tf.layers.dense(flat, 1, name="one"), tf.layers.dense(flat, domains, name="two")

        images = np.random.RandomState(0).rand(4, 4, 4, 3).astype(np.float32)
        labels = np.eye(4, 2, dtype=np.float32)

        def inputs():
            return tf.constant(images), tf.constant(labels)

        estimator = estimators.StarGANEstimator(
            self.get_temp_dir(), generator, discriminator, gan.stargan_loss,
            tf.train.AdamOptimizer(0.01), tf.train.AdamOptimizer(0.01),
            add_summaries=[estimators.SummaryType.IMAGES],
        )  # fmt: skip
        estimator.train(inputs, steps=3)
        found = estimator.evaluate(inputs, steps=1)
        self.assertAllClose(
            found["loss"], found["generator_loss"] + found["discriminator_loss"], rtol=1e-4
        )
        predictions = estimator.predict(lambda: (inputs(), None), yield_single_examples=False)
        kernel, bias = (
            estimator.get_variable_value(f"Generator/dense/{kind}") for kind in ("kernel", "bias")
        )
        shift = (labels @ kernel + bias)[:, None, None]
        self.assertAllClose(next(predictions), images + shift, rtol=1e-4)


class LatentEstimatorTest(tf.test.TestCase):
    def test_the_input_is_found_that_a_trained_generator_makes_wanted_data_of(self):
        def generator(inputs, mode):
            del mode
            return 3.0 * inputs + tf.get_variable("shift", [2], initializer=tf.ones_initializer())

        def discriminator(data, _):
            return tf.layers.dense(data, 1, name="logits")

        trained = estimators.GANEstimator(
            self.get_temp_dir(), generator, discriminator, gan.losses.wasserstein_generator_loss,
            gan.losses.wasserstein_discriminator_loss, tf.train.GradientDescentOptimizer(0.1),
            tf.train.GradientDescentOptimizer(0.1),
        )  # fmt: skip
        trained.train(_inputs, steps=2)

        def loss(model, features, labels, add_summaries):
            self.assertIsNone(add_summaries or None)
            del features
            return tf.reduce_mean(tf.square(model.generated_data - labels))

        def optimizer(learning_rate, momentum):
            return tf.train.MomentumOptimizer(learning_rate, momentum)

        wanted = np.float32([[2.5, -1.5], [100.0, 0.0]])
        params = {
            "batch_size": 2, "z_shape": [2], "learning_rate": 0.1, "input_clip": 5.0,
            "add_summaries": False, "opt_kwargs": {"momentum": 0.5},
        }  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            estimator = estimators.get_latent_gan_estimator(
                generator, discriminator, loss, optimizer, params,
                tf.estimator.RunConfig(folder), trained.model_dir,
            )  # fmt: skip
            estimator.train(lambda: (tf.zeros([2]), tf.constant(wanted)), steps=200)
            found = estimator.get_variable_value("new_var_z_input")
            shift = estimator.get_variable_value("Generator/shift")
        self.assertAllClose(shift, trained.get_variable_value("Generator/shift"))
        self.assertNotAllClose(shift, [1.0, 1.0])
        self.assertAllClose(found, np.clip((wanted - shift) / 3, -5, 5), atol=1e-2)


if __name__ == "__main__":
    unittest.main()
