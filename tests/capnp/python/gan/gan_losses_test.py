"""The losses of `tf.contrib.gan`, against formulas of NumPy."""

import importlib
import unittest

import numpy as np

import troupe as tf

gan = tf.contrib.gan
wargs = gan.losses.wargs

_REAL = np.float32([[0.5, -2.0], [3.0, 0.25], [-1.0, 1.5]])
_FAKE = np.float32([[1.0, 0.75], [-0.5, 2.0], [4.0, -3.0]])
_WEIGHTS = np.float32([[1.0], [0.0], [2.5]])


def _cross_entropy(logits, labels):
    """Of independent classes."""
    return np.log1p(np.exp(-np.abs(logits))) + np.maximum(logits, 0) - logits * labels


def _softmax_cross_entropy(logits, labels):
    return np.log(np.exp(logits).sum(1)) - (logits * labels).sum(1)


def _weighted(losses, weights=1.0):
    """The mean over those that count."""
    weights = np.broadcast_to(weights, losses.shape)
    return (losses * weights).sum() / (weights != 0).sum()


class AdversarialLossesTest(tf.test.TestCase):
    def value(self, loss):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(loss)

    def check(self, loss, expected, **options):
        self.assertAllClose(self.value(loss), expected, rtol=1e-5, atol=1e-5, **options)

    def test_wasserstein_losses_are_differences_of_logits(self):
        self.check(wargs.wasserstein_generator_loss(_FAKE), -_FAKE.mean())
        self.check(wargs.wasserstein_generator_loss(_FAKE, _WEIGHTS), -_weighted(_FAKE, _WEIGHTS))
        loss = wargs.wasserstein_discriminator_loss(_REAL, _FAKE, _WEIGHTS, 0.5)
        self.check(loss, _weighted(_FAKE, 0.5) - _weighted(_REAL, _WEIGHTS))

    def test_minimax_losses_are_cross_entropies(self):
        real = _cross_entropy(_REAL, 0.75 + 0.125)
        fake = _cross_entropy(_FAKE, 0.0)
        loss = wargs.minimax_discriminator_loss(_REAL, _FAKE)
        self.check(loss, real.mean() + fake.mean())
        loss = wargs.modified_discriminator_loss(
            _REAL, _FAKE, real_weights=_WEIGHTS, generated_weights=0.25
        )
        self.check(loss, _weighted(real, _WEIGHTS) + _weighted(fake, 0.25))
        constant = _cross_entropy(np.ones_like(_FAKE), 1.0)
        self.check(wargs.minimax_generator_loss(_FAKE), -constant.mean() - fake.mean())
        loss = wargs.modified_generator_loss(_FAKE, label_smoothing=0.2, weights=_WEIGHTS)
        self.check(loss, _weighted(_cross_entropy(_FAKE, 0.8 + 0.1), _WEIGHTS))

    def test_least_squares_losses_are_distances_from_labels(self):
        loss = wargs.least_squares_generator_loss(_FAKE, real_label=3, weights=_WEIGHTS)
        self.check(loss, _weighted((_FAKE - 3) ** 2 / 2, _WEIGHTS))
        loss = wargs.least_squares_discriminator_loss(_REAL, _FAKE, 2, -1, 0.5, _WEIGHTS)
        real, fake = (_REAL - 2) ** 2 / 2, (_FAKE + 1) ** 2 / 2
        self.check(loss, _weighted(real, 0.5) + _weighted(fake, _WEIGHTS))

    def test_losses_of_classes_are_cross_entropies_of_exclusive_ones(self):
        labels = np.float32([[0, 1], [1, 0], [0, 1]])
        loss = wargs.acgan_generator_loss(_FAKE, labels, weights=_WEIGHTS[:, 0])
        self.check(loss, _weighted(_softmax_cross_entropy(_FAKE, labels), _WEIGHTS[:, 0]))
        loss = wargs.acgan_discriminator_loss(_REAL, _FAKE, labels, label_smoothing=0.5)
        real = _softmax_cross_entropy(_REAL, labels * 0.5 + 0.25)
        self.check(loss, real.mean() + _softmax_cross_entropy(_FAKE, labels).mean())

    def test_losses_are_not_reduced_where_that_is_asked_for(self):
        none = tf.losses.Reduction.NONE
        loss = wargs.wasserstein_discriminator_loss(_REAL, _FAKE, reduction=none)
        self.check(loss, _FAKE - _REAL)
        loss = wargs.least_squares_generator_loss(_FAKE, weights=_WEIGHTS, reduction=none)
        self.check(loss, (_FAKE - 1) ** 2 / 2 * _WEIGHTS)

    def test_losses_are_in_their_collection_and_scope_with_summaries(self):
        with tf.Graph().as_default() as graph:
            loss = wargs.minimax_discriminator_loss(_REAL, _FAKE, scope="here", add_summaries=True)
            self.assertEqual(graph.get_collection(tf.GraphKeys.LOSSES), [loss])
            self.assertTrue(loss.op.name.startswith("here/"))
            names = {each.op.name for each in graph.get_collection(tf.GraphKeys.SUMMARIES)}
            self.assertEqual(names, {
                "here/discriminator_gen_minimax_loss", "here/discriminator_real_minimax_loss",
                "here/discriminator_minimax_loss",
            })  # fmt: skip
        with tf.Graph().as_default() as graph:
            wargs.modified_generator_loss(_FAKE, loss_collection="mine")
            wargs.wasserstein_discriminator_loss(_REAL, _FAKE, loss_collection=None)
            self.assertEqual(len(graph.get_collection("mine")), 1)
            self.assertEqual(graph.get_collection(tf.GraphKeys.LOSSES), [])
            self.assertEqual(graph.get_collection(tf.GraphKeys.SUMMARIES), [])

    def test_logits_of_different_shapes_are_refused(self):
        for loss in (
            wargs.wasserstein_discriminator_loss, wargs.least_squares_discriminator_loss,
        ):  # fmt: skip
            with self.assertRaises(ValueError):
                loss(_REAL, _FAKE[:2])


class PenaltiesTest(tf.test.TestCase):
    def penalty(self, **options):
        """Of a discriminator |x|^2 a / 2, whose gradient at x is a x, on a line from 0 to 1."""
        with tf.Graph().as_default():
            tf.set_random_seed(3)

            def discriminator(data, conditions):
                self.assertEqual(conditions, "conditions")
                self.points.append(data)
                factor = tf.get_variable("factor", [], initializer=tf.constant_initializer(2.0))
                return tf.reduce_sum(tf.square(data), [1, 2]) * factor / 2, "classes"

            self.points = []
            with tf.variable_scope("D") as scope:
                discriminator(tf.zeros([4, 2, 3]), "conditions")
            loss = wargs.wasserstein_gradient_penalty(
                np.zeros([4, 2, 3], np.float32), np.ones([4, 2, 3], np.float32), "conditions",
                discriminator, scope, reduction=tf.losses.Reduction.NONE, **options,
            )  # fmt: skip
            self.assertEqual([each.op.name for each in tf.trainable_variables()], ["D/factor"])
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                return session.run([self.points[1], loss])

    def test_the_gradient_penalty_is_that_of_points_between_real_and_generated_data(self):
        points, loss = self.penalty()
        self.assertEqual(len({each for each in points[:, 0, 0]}), 4)
        self.assertAllClose(points, np.broadcast_to(points[:, :1, :1], [4, 2, 3]))
        self.assertTrue(np.all((points >= 0) & (points <= 1)))
        lengths = np.sqrt(np.square(2 * points).sum((1, 2)))
        self.assertAllClose(loss, np.square(lengths - 1))

    def test_the_gradient_penalty_has_a_target_one_side_and_an_epsilon(self):
        points, loss = self.penalty(target=2.5, one_sided=True, epsilon=0.5)
        lengths = np.sqrt(np.square(2 * points).sum((1, 2)) + 0.5)
        expected = np.square(np.maximum(lengths / 2.5 - 1, 0))
        self.assertAllClose(loss, expected)
        self.assertIn(0.0, loss)
        self.assertGreater(loss.max(), 0.0)

    def test_a_gradient_penalty_of_an_unknown_rank_is_refused(self):
        with self.assertRaisesRegex(ValueError, "unknown rank"):
            wargs.wasserstein_gradient_penalty(
                tf.placeholder(tf.float32), _FAKE, None, lambda data, _: data, "scope"
            )

    def test_the_information_penalty_is_the_likelihood_of_inputs(self):
        normal = tf.distributions.Normal(loc=[1.0, 2.0], scale=[1.0, 2.0])
        classes = tf.distributions.Categorical(logits=[[0.0, 1.0], [2.0, 0.0]])
        inputs = [np.float32([0.0, 3.0]), np.int32([1, 1])]
        loss = wargs.mutual_information_penalty(inputs, [normal, classes], weights=[1.0, 3.0])
        density = -0.5 * np.log(2 * np.pi) - np.log([1, 2]) - 0.5 * np.float32([1, 0.25])
        mass = np.float32([1, 0]) - np.log(np.exp([[0, 1], [2, 0]]).sum(1))
        with self.session() as session:
            value = session.run(loss)
        self.assertAllClose(value, -(density.mean() + 3 * mass.mean()) / 2)
        for wrong in ([normal], normal, [normal, 1.0]):
            with self.assertRaises(ValueError):
                wargs.mutual_information_penalty(inputs, wrong)

    def test_the_cycle_loss_is_the_mean_of_absolute_differences(self):
        loss = wargs.cycle_consistency_loss(_REAL, _FAKE, _FAKE, 3 * _FAKE)
        expected = (np.abs(_REAL - _FAKE).mean() + np.abs(2 * _FAKE).mean()) / 2
        with self.session() as session:
            self.assertAllClose(session.run(loss), expected)


class CombinedLossTest(tf.test.TestCase):
    def combined(self, **options):
        x = tf.Variable([3.0, 4.0], name="x")
        main, adversarial = tf.reduce_sum(5.0 * x), tf.reduce_sum(tf.square(x))
        loss = wargs.combine_adversarial_loss(main, adversarial, variables=[x], **options)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run([loss, tf.gradients(loss, x)[0]])

    def test_a_factor_multiplies_the_adversarial_loss(self):
        loss, gradient = self.combined(weight_factor=0.5)
        self.assertAllClose([loss, *gradient], [35 + 12.5, 5 + 3, 5 + 4])

    def test_a_ratio_of_gradients_says_the_factor(self):
        loss, gradient = self.combined(gradient_ratio=4.0, gradient_ratio_epsilon=0.0)
        factor = np.sqrt(50) / 10 / 4
        self.assertAllClose(loss, 35 + 25 * factor)
        self.assertAllClose(gradient, [5 + 6 * factor, 5 + 8 * factor])

    def test_a_factor_of_zero_leaves_the_main_loss(self):
        x = tf.Variable(1.0)
        main = 2.0 * x
        for options in ({"weight_factor": 0}, {"gradient_ratio": 0.0}):
            self.assertIs(wargs.combine_adversarial_loss(main, 3.0 * x, **options), main)

    def test_gradients_whose_squares_are_too_large_have_a_length(self):
        x = tf.Variable(1.0)
        main, adversarial = 3e30 * x, 2e30 * x
        loss = wargs.combine_adversarial_loss(main, adversarial, gradient_ratio=1.0)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertAllClose(session.run(loss / 1e30), 6.0)

    def test_neither_or_both_of_factor_and_ratio_are_refused(self):
        loss = tf.constant(1.0)
        for options in ({}, {"weight_factor": 1.0, "gradient_ratio": 1.0}):
            with self.assertRaisesRegex(ValueError, "cannot both be"):
                wargs.combine_adversarial_loss(loss, loss, **options)
        with self.assertRaises(ValueError):
            wargs.combine_adversarial_loss(tf.constant([1.0]), loss, weight_factor=1.0)


class LossesOfModelsTest(tf.test.TestCase):
    """Losses that are called with the fields of a model."""

    def model(self, **fields):
        values = dict.fromkeys(gan.GANModel._fields)
        values.update(
            discriminator_real_outputs=tf.constant(_REAL),
            discriminator_gen_outputs=tf.constant(_FAKE), **fields,
        )  # fmt: skip
        return gan.GANModel(**values)

    def test_tensors_are_those_of_the_model(self):
        names = ["wasserstein", "minimax", "modified", "least_squares"]
        model = self.model()
        for name in names:
            pairs = [
                (getattr(gan.losses, f"{name}_generator_loss")(model),
                 getattr(wargs, f"{name}_generator_loss")(_FAKE)),
                (getattr(gan.losses, f"{name}_discriminator_loss")(model, real_weights=0.5),
                 getattr(wargs, f"{name}_discriminator_loss")(_REAL, _FAKE, real_weights=0.5)),
            ]  # fmt: skip
            with tf.Session() as session:
                for of_model, of_tensors in session.run(pairs):
                    self.assertAllClose(of_model, of_tensors)

    def test_arguments_that_are_missing_or_given_twice_are_named(self):
        with self.assertRaisesRegex(ValueError, "one_hot_labels"):
            gan.losses.acgan_generator_loss(
                self.model(), discriminator_gen_classification_logits=_FAKE
            )
        with self.assertRaisesRegex(ValueError, "present in both.*discriminator_gen_outputs"):
            gan.losses.wasserstein_generator_loss(self.model(), discriminator_gen_outputs=_FAKE)

    def test_a_stargan_loss_has_the_logits_of_its_model(self):
        model = gan.StarGANModel(
            *range(5), tf.constant(_REAL[:, 0]), tf.constant(_FAKE[:, 0]), *range(8)
        )
        wrapped = gan.losses.stargan_discriminator_loss_wrapper(
            wargs.wasserstein_discriminator_loss
        )
        of_generator = gan.losses.stargan_generator_loss_wrapper(wargs.wasserstein_generator_loss)
        self.assertEqual(wrapped.__name__, "wasserstein_discriminator_loss")
        with tf.Session() as session:
            found = session.run([wrapped(model), of_generator(model, weights=2.0)])
        fake = _FAKE[:, 0].mean()
        self.assertAllClose(found, [fake - _REAL[:, 0].mean(), -2 * fake])

    def test_another_loss_is_added_to_the_generator_alone(self):
        x = tf.Variable(2.0)
        loss = gan.GANLoss(3.0 * x, 5.0 * x)
        model = self.model()._replace(generator_variables=[x])
        found = gan.losses.combine_adversarial_loss(loss, model, 7.0 * x, weight_factor=2.0)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertAllClose(session.run(list(found)), [14 + 12, 10])

    def test_modules_of_the_source_have_the_names_too(self):
        importlib.import_module("troupe.as_tensorflow")
        place = "tensorflow.contrib.gan.python"
        for name, owner in (
            ("losses.python.losses_impl", wargs), ("losses.python.tuple_losses", gan.losses),
            ("losses", gan.losses), ("namedtuples", gan), ("train", gan),
            ("features.python.random_tensor_pool", gan.features),
        ):  # fmt: skip
            module = importlib.import_module(f"{place}.{name}")
            for each in ("minimax_generator_loss", "GANModel", "gan_train", "tensor_pool"):
                if hasattr(owner, each):
                    self.assertIs(getattr(module, each), getattr(owner, each))


if __name__ == "__main__":
    unittest.main()
