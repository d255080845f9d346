"""Optimizers of `tf.keras` by their names and configurations, and schedules of rates."""

import unittest

import numpy as np

import troupe as tf
from troupe.python.keras.optimizer_v2 import adam, learning_rate_schedule, optimizer_v2

optimizers = tf.keras.optimizers
schedules = optimizers.schedules


class IdentifiersTest(tf.test.TestCase):
    def test_an_optimizer_is_made_of_its_configuration(self):
        for make in (
            lambda: optimizers.SGD(0.5, momentum=0.5, nesterov=True, clipnorm=2.0),
            lambda: optimizers.RMSprop(0.5, 0.25, 0.5, 0.125, True),
            lambda: optimizers.Adam(0.5, amsgrad=True, decay=0.5),
            lambda: optimizers.Adam(schedules.PolynomialDecay(0.5, 10)),
            lambda: optimizers.Adamax(0.5),
            lambda: optimizers.Nadam(0.5),
            lambda: optimizers.Adagrad(0.5, 0.25),
            lambda: optimizers.Adadelta(0.5),
            lambda: optimizers.Ftrl(0.5, l2_shrinkage_regularization_strength=0.5),
        ):
            optimizer = make()
            description = optimizers.serialize(optimizer)
            self.assertEqual(description["class_name"], type(optimizer).__name__)
            made = optimizers.deserialize(description)
            self.assertIs(type(made), type(optimizer))
            self.assertEqual(optimizers.serialize(made), description)

    def test_it_has_a_name_in_any_case(self):
        for name, kind in (
            ("adam", optimizers.Adam), ("SGD", optimizers.SGD), ("RMSprop", optimizers.RMSprop),
        ):  # fmt: skip
            self.assertIs(type(optimizers.get(name)), kind)
        optimizer = optimizers.Ftrl()
        self.assertIs(optimizers.get(optimizer), optimizer)
        self.assertIs(type(optimizers.get(optimizers.serialize(optimizer))), optimizers.Ftrl)
        for wrong, text in (
            ("swift", "Unknown optimizer: swift"), (3, "Could not interpret"), ({}, "Improper"),
        ):  # fmt: skip
            with self.assertRaisesRegex(ValueError, text):
                optimizers.get(wrong)

    def test_configurations_of_keras_2_are_taken(self):
        made = optimizers.Adam.from_config({"lr": 0.5})
        self.assertEqual(made.get_config()["learning_rate"], 0.5)
        old = optimizers.Adagrad.from_config({"lr": 0.5})
        self.assertEqual(old.get_config()["initial_accumulator_value"], 0.0)

    def test_other_places_have_them(self):
        self.assertIs(adam.Adam, optimizers.Adam)
        self.assertIs(optimizer_v2.OptimizerV2, optimizers.Optimizer)
        self.assertIs(learning_rate_schedule.ExponentialDecay, schedules.ExponentialDecay)
        self.assertIs(tf.compat.v2.optimizers.Adam, optimizers.Adam)
        self.assertIs(tf.compat.v2.keras.optimizers.SGD, optimizers.SGD)

    def test_models_train_with_them(self):
        points = np.random.RandomState(0).rand(64, 2)
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
        rate = schedules.InverseTimeDecay(0.1, 10, 0.1)
        model.compile(optimizers.Adam(rate), "mse")
        first = model.evaluate(points, points.sum(1), verbose=0)
        model.fit(points, points.sum(1), epochs=20, verbose=0)
        self.assertLess(model.evaluate(points, points.sum(1), verbose=0), first / 4)
        path = self.get_temp_dir() + "/model.h5"
        model.save(path)
        loaded = tf.keras.models.load_model(path)
        self.assertIs(type(loaded.optimizer), optimizers.Adam)
        for found, wanted in zip(loaded.optimizer.get_weights(), model.optimizer.get_weights()):
            self.assertAllClose(found, wanted)
        loaded.fit(points, points.sum(1), verbose=0)

    def test_callbacks_set_the_rate_of_a_model(self):
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
        model.compile(optimizers.SGD(0.5), "mse")
        schedule = tf.keras.callbacks.LearningRateScheduler(lambda epoch: 0.125)
        model.fit(np.ones([2, 1]), np.ones([2, 1]), callbacks=[schedule], verbose=0)
        self.assertAllClose(tf.keras.backend.get_value(model.optimizer.lr), 0.125)


class SchedulesTest(tf.test.TestCase):
    def test_rates_are_those_of_the_formulas(self):
        exponential = schedules.ExponentialDecay
        inverse = schedules.InverseTimeDecay
        polynomial = schedules.PolynomialDecay
        cosines = tf.keras.experimental
        cosine = lambda part: (1 + np.cos(2 * np.pi * part)) / 2  # noqa: E731
        for schedule, step, rate in (
            (exponential(0.5, 2, 0.25), 3, 0.5 * 0.25**1.5),
            (exponential(0.5, 2, 0.25, staircase=True), 3, 0.5 * 0.25),
            (inverse(0.5, 2, 0.25), 3, 0.5 / (1 + 0.25 * 1.5)),
            (inverse(0.5, 2, 0.25, staircase=True), 3, 0.5 / 1.25),
            (polynomial(0.5, 4, 0.1, power=2.0), 3, 0.4 * 0.25**2 + 0.1),
            (polynomial(0.5, 4, 0.1), 9, 0.1),
            (polynomial(0.5, 4, 0.1, cycle=True), 6, 0.4 * (1 - 6 / 8) + 0.1),
            (cosines.CosineDecay(0.5, 4, 0.25), 1, 0.5 * (0.75 * cosine(1 / 8) + 0.25)),
            (cosines.CosineDecayRestarts(0.5, 2, m_mul=0.5), 3, 0.25 * cosine(1 / 8)),
            (cosines.LinearCosineDecay(0.5, 4, alpha=0.25), 1, 0.5 * (1.0 * cosine(1 / 8) + 0.001)),
            (schedules.PiecewiseConstantDecay([2, 4], [1.0, 0.5, 0.25]), 2, 1.0),
            (schedules.PiecewiseConstantDecay([2, 4], [1.0, 0.5, 0.25]), 3, 0.5),
            (schedules.PiecewiseConstantDecay([2, 4], [1.0, 0.5, 0.25]), 9, 0.25),
        ):
            self.assertAllClose(self.evaluate(schedule(tf.constant(step))), rate)
            made = schedules.deserialize(schedules.serialize(schedule))
            self.assertAllClose(self.evaluate(made(tf.constant(float(step)))), rate)
            self.assertEqual(made.get_config(), schedule.get_config())
        noisy = cosines.NoisyLinearCosineDecay(0.5, 4, initial_variance=0.0, alpha=0.25)
        self.assertAllClose(self.evaluate(noisy(1)), 0.5 * (cosine(1 / 8) + 0.001), 1e-3)
        with self.assertRaisesRegex(ValueError, "1 less"):
            schedules.PiecewiseConstantDecay([1], [1.0])
        with self.assertRaisesRegex(ValueError, "Unknown decay: Own"):
            schedules.deserialize({"class_name": "Own", "config": {}})

    def test_a_program_has_its_own(self):
        class Own(schedules.LearningRateSchedule):
            def __init__(self, scale):
                self.scale = scale

            def __call__(self, step):
                return self.scale * (step + 1)

            def get_config(self):
                return {"scale": self.scale}

        value = tf.get_variable("value", initializer=0.0)
        optimizer = optimizers.SGD(Own(0.5))
        step = optimizer.minimize(lambda: -value, [value])
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(step)
            session.run(step)
            self.assertAllClose(session.run(value), 0.5 + 1.0)
        self.assertIsInstance(optimizer.lr, Own)
        made = optimizers.SGD.from_config(optimizer.get_config(), {"Own": Own})
        self.assertEqual(made.lr.scale, 0.5)
        base = schedules.LearningRateSchedule()
        for method in (lambda: base(0), base.get_config):
            with self.assertRaises(NotImplementedError):
                method()


if __name__ == "__main__":
    unittest.main()
