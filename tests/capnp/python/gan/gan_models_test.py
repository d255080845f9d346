"""The models of `tf.contrib.gan`: their networks, variables and losses."""

import unittest

import numpy as np

import troupe as tf

gan = tf.contrib.gan


def _generator(inputs):
    """Gives data of 3 features."""
    noise = inputs[0] if isinstance(inputs, list) else inputs
    return tf.layers.dense(noise, 3, name="dense")


def _discriminator(data, _):
    return tf.layers.dense(data, 1, name="dense")


def _with_classes(data, _):
    return tf.layers.dense(data, 1, name="dense"), tf.layers.dense(data, 2, name="classes")


def _with_distributions(data, _):
    mean = tf.layers.dense(data, 2, name="mean")
    return tf.layers.dense(data, 1, name="dense"), [tf.distributions.Normal(mean, 1.0)]


def _mapping(data, target):
    """Maps images to a domain."""
    shift = tf.layers.dense(target, 3, name="target")
    return tf.layers.dense(data, 3, name="image") + shift[:, None, None, :]


def _of_domains(data, domains):
    flat = tf.layers.flatten(data)
    source = tf.squeeze(tf.layers.dense(flat, 1, name="source"), 1)
    return source, tf.layers.dense(flat, domains, name="domain")


def _names(variables):
    return [each.op.name for each in variables]


def _dense(scope):
    return [f"{scope}/dense/kernel", f"{scope}/dense/bias"]


_DATA = np.arange(12, dtype=np.float32).reshape(4, 3)
_NOISE = np.ones([4, 2], np.float32)
_CLASSES = np.float32([[1, 0], [0, 1], [1, 0], [0, 1]])


def simple():
    return gan.gan_model(_generator, _discriminator, _DATA, _NOISE)


def infogan():
    return gan.infogan_model(_generator, _with_distributions, _DATA, [_NOISE], [_NOISE[:, :2]])


def acgan():
    return gan.acgan_model(_generator, _with_classes, _DATA, _NOISE, tf.constant(_CLASSES))


def cyclegan():
    return gan.cyclegan_model(_generator, _discriminator, _DATA, _DATA + 1)


def stargan():
    images = np.random.RandomState(0).rand(4, 5, 5, 3).astype(np.float32)
    return gan.stargan_model(_mapping, _of_domains, images, tf.constant(_CLASSES))


class ModelsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        tf.reset_default_graph()

    def run_with_variables(self, fetches):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches)

    def test_a_model_has_the_variables_of_its_scopes_once(self):
        model = simple()
        self.assertEqual(_names(model.generator_variables), _dense("Generator"))
        self.assertEqual(_names(model.discriminator_variables), _dense("Discriminator"))
        self.assertEqual(len(tf.global_variables()), 4)
        self.assertEqual(model.generator_scope.name, "Generator")
        self.assertIs(model.generator_fn, _generator)
        self.assertIs(model.discriminator_fn, _discriminator)
        real, fake, data, kernel, bias = self.run_with_variables([
            model.discriminator_real_outputs, model.discriminator_gen_outputs,
            model.generated_data, *model.discriminator_variables,
        ])  # fmt: skip
        self.assertAllClose(real, _DATA @ kernel + bias, rtol=1e-5)
        self.assertAllClose(fake, data @ kernel + bias, rtol=1e-5)

    def test_inputs_may_be_a_dict_and_scopes_may_be_there_already(self):
        with tf.variable_scope("mine") as scope:
            pass
        model = gan.gan_model(
            lambda inputs: _generator(inputs["noise"]), _discriminator, _DATA, {"noise": _NOISE},
            generator_scope=scope, discriminator_scope="other",
        )  # fmt: skip
        self.assertIsInstance(model.generator_inputs["noise"], tf.Tensor)
        self.assertEqual(_names(model.generator_variables), _dense("mine"))
        self.assertEqual(_names(model.discriminator_variables), _dense("other"))

    def test_generated_data_of_another_shape_are_refused_unless_allowed(self):
        def judge(data, _):
            return tf.reduce_sum(data)

        arguments = _generator, judge, np.zeros([4, 5], np.float32), _NOISE
        with self.assertRaisesRegex(ValueError, r"\(4, 3\).*same shape.*\(4, 5\)"):
            gan.gan_model(*arguments)
        tf.reset_default_graph()
        model = gan.gan_model(*arguments, check_shapes=False)
        self.assertEqual(model.real_data.shape.as_list(), [4, 5])

    def test_an_infogan_has_distributions_of_its_structured_inputs(self):
        model = infogan()
        self.assertEqual(len(model.generator_inputs), 2)
        self.assertEqual(model.structured_generator_inputs, model.generator_inputs[1:])
        self.assertIs(model.discriminator_and_aux_fn, _with_distributions)
        with tf.variable_scope(model.discriminator_scope, reuse=True):
            logits = model.discriminator_fn(model.real_data, model.generator_inputs)
        self.assertEqual(logits.shape.as_list(), [4, 1])
        mean = [f"Discriminator/mean/{kind}" for kind in ("kernel", "bias")]
        self.assertEqual(
            sorted(_names(model.discriminator_variables)), sorted(_dense("Discriminator") + mean)
        )

    def test_an_infogan_needs_a_distribution_for_each_input(self):
        for found in ([], "distributions"):
            tf.reset_default_graph()
            with self.assertRaisesRegex(ValueError, "predicted_distributions"):
                def discriminator(data, _, found=found):
                    return data, found

                gan.infogan_model(_generator, discriminator, _DATA, [_NOISE], [_NOISE])

    def test_an_acgan_has_logits_of_classes_in_name_scopes(self):
        model = acgan()
        for logits, place in (
            (model.discriminator_real_classification_logits, "real"),
            (model.discriminator_gen_classification_logits, "generated"),
        ):
            self.assertEqual(logits.shape.as_list(), [4, 2])
            self.assertTrue(logits.op.name.startswith(f"Discriminator/{place}/"), logits.op.name)
        self.assertEqual(len(model.discriminator_variables), 4)
        tf.reset_default_graph()
        with self.assertRaisesRegex(TypeError, "tuple"):
            gan.acgan_model(
                _generator, lambda data, _: (data,) * 3, _DATA, _NOISE, tf.constant(_CLASSES)
            )

    def test_a_cyclegan_maps_generated_data_back_with_the_same_variables(self):
        model = cyclegan()
        for one, scope in ((model.model_x2y, "ModelX2Y"), (model.model_y2x, "ModelY2X")):
            self.assertEqual(_names(one.generator_variables), _dense(f"{scope}/Generator"))
            self.assertEqual(_names(one.discriminator_variables), _dense(f"{scope}/Discriminator"))
        self.assertEqual(len(tf.global_variables()), 8)
        x2y, y2x = model.model_x2y.generator_variables, model.model_y2x.generator_variables
        there, back, found = self.run_with_variables([x2y, y2x, model.reconstructed_x])
        expected = (_DATA @ there[0] + there[1]) @ back[0] + back[1]
        self.assertAllClose(found, expected, rtol=1e-4, atol=1e-4)

    def test_a_stargan_maps_to_random_domains_and_back(self):
        tf.set_random_seed(1)  # of which the targets are others than the labels
        model = stargan()
        self.assertEqual(len(model.generator_variables), 4)
        self.assertEqual(len(tf.global_variables()), 8)
        targets, data, generated, reconstructed, variables = self.run_with_variables([
            model.generated_data_domain_target, model.input_data, model.generated_data,
            model.reconstructed_data, {each.op.name: each for each in model.generator_variables},
        ])  # fmt: skip
        self.assertAllEqual(targets.sum(1), np.ones(4))
        of_image, of_target = (
            [variables[f"Generator/{name}/{kind}"] for kind in ("kernel", "bias")]
            for name in ("image", "target")
        )

        def mapped(images, wanted):
            shift = wanted @ of_target[0] + of_target[1]
            return images @ of_image[0] + of_image[1] + shift[:, None, None]

        self.assertAllClose(generated, mapped(data, targets), rtol=1e-4, atol=1e-5)
        self.assertAllClose(reconstructed, mapped(generated, _CLASSES), rtol=1e-4, atol=1e-5)
        logits = model.discriminator_generated_data_domain_predication
        self.assertEqual(logits.shape.as_list(), [4, 2])

    def test_a_stargan_takes_lists_and_refuses_labels_of_unknown_shape(self):
        images = np.zeros([2, 5, 5, 3], np.float32)
        model = gan.stargan_model(_mapping, _of_domains, [images] * 2, [_CLASSES[:2]] * 2)
        self.assertEqual(model.input_data.shape.as_list(), [4, 5, 5, 3])
        tf.reset_default_graph()
        labels = tf.placeholder(tf.float32, [None, 2])
        with self.assertRaises(ValueError):
            gan.stargan_model(_mapping, _of_domains, images, labels)


class LossesTest(tf.test.TestCase):
    """`gan_loss` and its like."""

    def setUp(self):
        super().setUp()
        tf.reset_default_graph()

    def values(self, fetches):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches)

    def test_regularizers_count_for_the_network_that_has_them(self):
        def generator(inputs):
            decay = tf.contrib.layers.l2_regularizer(2.0)
            return tf.layers.dense(inputs, 3, name="dense", kernel_regularizer=decay)

        model = gan.gan_model(generator, _discriminator, _DATA, _NOISE)
        loss = gan.gan_loss(model)
        found, kernel, fake, real = self.values([
            loss, model.generator_variables[0], model.discriminator_gen_outputs,
            model.discriminator_real_outputs,
        ])  # fmt: skip
        self.assertAllClose(found.generator_loss, -fake.mean() + np.square(kernel).sum(), rtol=1e-4)
        self.assertAllClose(found.discriminator_loss, fake.mean() - real.mean(), rtol=1e-4)

    def test_a_gradient_penalty_counts_for_the_discriminator(self):
        model = simple()
        plain, penal = gan.gan_loss(model), gan.gan_loss(model, gradient_penalty_weight=3.0)
        by_tensor = gan.gan_loss(model, gradient_penalty_weight=tf.constant(3.0))
        plain, penal, by_tensor, kernel = self.values(
            [plain, penal, by_tensor, model.discriminator_variables[0]]
        )
        added = 3 * np.square(np.sqrt(np.square(kernel).sum()) - 1)
        self.assertAllClose(penal.discriminator_loss - plain.discriminator_loss, added, atol=1e-4)
        self.assertAllClose(penal, by_tensor)
        self.assertAllClose(penal.generator_loss, plain.generator_loss)

    def test_information_counts_for_both_networks(self):
        model = infogan()
        penalty = gan.losses.mutual_information_penalty(model)
        plain = gan.gan_loss(model)
        more = gan.gan_loss(model, mutual_information_penalty_weight=2.0)
        plain, more, penalty = self.values([plain, more, penalty])
        self.assertAllClose(np.subtract(more, plain), [2 * penalty] * 2, atol=1e-4)

    def test_classes_count_by_the_weights_of_both_networks(self):
        model = acgan()
        parts = gan.losses.acgan_generator_loss(model), gan.losses.acgan_discriminator_loss(model)
        plain = gan.gan_loss(model)
        more = gan.gan_loss(model, aux_cond_generator_weight=2.0, aux_cond_discriminator_weight=3.0)
        plain, more, parts = self.values([plain, more, parts])
        self.assertAllClose(np.subtract(more, plain), [2 * parts[0], 3 * parts[1]], rtol=1e-3)

    def test_weights_that_are_negative_or_of_another_model_are_refused(self):
        model = simple()
        for name in (
            "gradient_penalty_weight", "mutual_information_penalty_weight",
            "aux_cond_generator_weight", "aux_cond_discriminator_weight",
        ):  # fmt: skip
            with self.assertRaisesRegex(ValueError, "greater than 0"):
                gan.gan_loss(model, **{name: -1.0})
            if name != "gradient_penalty_weight":
                with self.assertRaisesRegex(ValueError, "must be an `(InfoGAN|ACGAN)Model`"):
                    gan.gan_loss(model, **{name: 1.0})
                gan.gan_loss(model, **{name: 0.0})
        with self.assertRaisesRegex(ValueError, "CycleGANModel"):
            gan.cyclegan_loss(model)

    def test_the_discriminator_is_trained_with_data_of_a_pool(self):
        for make in (simple, infogan, acgan):
            tf.reset_default_graph()
            model = make()
            seen = []

            def pool(values, seen=seen):
                seen.append(values)
                return tf.contrib.framework.nest.map_structure(lambda each: 0.0 * each, values)

            loss = gan.gan_loss(model, tensor_pool_fn=pool)
            self.assertEqual(len(seen[0]), 3 if make is infogan else 2)
            self.assertIs(seen[0][1], model.generated_data)
            found, fake, real = self.values(
                [loss, model.discriminator_gen_outputs, model.discriminator_real_outputs]
            )
            self.assertAllClose(found.generator_loss, -fake.mean(), rtol=1e-4)
            self.assertAllClose(found.discriminator_loss, -real.mean(), rtol=1e-4)
        with self.assertRaisesRegex(ValueError, "does not support"):
            gan.gan_loss(cyclegan(), tensor_pool_fn=lambda values: values)

    def test_reconstructions_count_for_both_generators_of_a_cyclegan(self):
        model = cyclegan()
        loss = gan.cyclegan_loss(model, cycle_consistency_loss_weight=3.0)
        cycle = gan.losses.cycle_consistency_loss(model)
        of_one = gan.losses.least_squares_generator_loss(model.model_x2y)
        found, cycle, of_one = self.values([loss, cycle, of_one])
        self.assertAllClose(found.loss_x2y.generator_loss, of_one + 3 * cycle, rtol=1e-4)
        with self.assertRaisesRegex(ValueError, "cycle_consistency_loss_weight"):
            gan.cyclegan_loss(model, cycle_consistency_loss_weight=-1)

    def test_a_stargan_loss_sums_logits_reconstructions_and_domains(self):
        model = stargan()
        loss = gan.stargan_loss(model, gradient_penalty_weight=0)
        penal = gan.stargan_loss(model, add_summaries=False)
        classes = [
            tf.losses.softmax_cross_entropy(labels, logits)
            for labels, logits in (
                (model.generated_data_domain_target,
                 model.discriminator_generated_data_domain_predication),
                (model.input_data_domain_label, model.discriminator_input_data_domain_predication),
            )
        ]  # fmt: skip
        far = tf.reduce_mean(tf.abs(model.input_data - model.reconstructed_data))
        sources = [
            tf.reduce_mean(model.discriminator_generated_data_source_predication),
            tf.reduce_mean(model.discriminator_input_data_source_predication),
        ]
        found, penal, classes, far, (fake, real) = self.values([loss, penal, classes, far, sources])
        expected = [-fake + 10 * far + classes[0], fake - real + classes[1]]
        self.assertAllClose(found, expected, rtol=1e-4, atol=1e-4)
        self.assertGreater(penal.discriminator_loss, found.discriminator_loss)


if __name__ == "__main__":
    unittest.main()
