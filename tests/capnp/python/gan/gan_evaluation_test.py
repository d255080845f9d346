"""Summaries of models and scores of generated images, of `tf.contrib.gan.eval`."""

import os
import tempfile
import unittest

import numpy as np

import troupe as tf
from troupe._src.gan.sliced_wasserstein import laplacian_pyramid

gan = tf.contrib.gan
evaluation = gan.eval


def _value(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def _square_root(matrix):
    values, vectors = np.linalg.eigh(matrix)
    return vectors @ np.diag(np.sqrt(np.maximum(values, 0))) @ vectors.T


class ScoresTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        tf.reset_default_graph()
        random = np.random.RandomState(0)
        self.real = random.randn(40, 5)
        self.fake = random.randn(30, 5) @ random.randn(5, 5) + 1

    def test_the_score_of_logits_is_that_of_their_divergences(self):
        logits = np.random.RandomState(1).randn(20, 4)
        each = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
        expected = np.exp((each * np.log(each / each.mean(0))).sum(1).mean())
        for dtype in (tf.float32, tf.float64):
            found = evaluation.classifier_score_from_logits(tf.constant(logits, dtype))
            self.assertEqual(found.dtype, dtype)
            self.assertAllClose(_value(found), expected, rtol=1e-5)
        by_batches = evaluation.classifier_score(
            tf.constant(logits / 2), lambda images: images * 2, num_batches=4
        )
        self.assertAllClose(_value(by_batches), expected)

    def test_frechet_distances_are_those_of_normal_distributions(self):
        real, fake = tf.constant(self.real), tf.constant(self.fake, tf.float64)
        means = np.square(self.real.mean(0) - self.fake.mean(0)).sum()
        found = evaluation.mean_only_frechet_classifier_distance_from_activations(real, fake)
        self.assertAllClose(_value(found), means)
        deviations = np.square(self.real.std(0) - self.fake.std(0)).sum()
        found = evaluation.diagonal_only_frechet_classifier_distance_from_activations(real, fake)
        self.assertAllClose(_value(found), means + deviations)
        one, other = np.cov(self.real.T), np.cov(self.fake.T)
        root = _square_root(one)
        spread = np.trace(one + other - 2 * _square_root(root @ other @ root))
        found = evaluation.frechet_classifier_distance_from_activations(real, fake)
        self.assertAllClose(_value(found), means + spread)
        self.assertAllClose(
            _value(evaluation.frechet_classifier_distance_from_activations(real, real)), 0.0
        )
        by_batches = evaluation.frechet_classifier_distance(
            real / 3.0, fake / 3.0, lambda images: images * 3.0, num_batches=5
        )
        self.assertAllClose(_value(by_batches), means + spread)

    def kernel_distance(self, real, fake):
        def kernel(one, other):
            return (one @ other.T / 5 + 1) ** 3

        def pairs(one):
            return (kernel(one, one).sum() - np.trace(kernel(one, one))) / len(one) / (len(one) - 1)

        return pairs(real) + pairs(fake) - 2 * kernel(real, fake).mean()

    def test_the_kernel_distance_is_the_mean_of_blocks(self):
        real, fake = tf.constant(self.real), tf.constant(self.fake)
        found = evaluation.kernel_classifier_distance_and_std_from_activations(real, fake)
        mean, error = _value(found)
        self.assertAllClose(mean, self.kernel_distance(self.real, self.fake))
        self.assertTrue(np.isnan(error))
        found = evaluation.kernel_classifier_distance_and_std_from_activations(real, fake, 16)
        blocks = np.split(self.real, [13, 26]), np.split(self.fake, [10, 20])
        each = [self.kernel_distance(*block) for block in zip(*blocks)]
        self.assertAllClose(_value(found), [np.mean(each), np.std(each, ddof=1) / np.sqrt(3)])
        by_batches = evaluation.kernel_classifier_distance(
            real / 2.0, fake / 2.0, lambda images: images * 2.0, 2, 16
        )
        self.assertAllClose(_value(by_batches), np.mean(each))
        size = tf.placeholder(tf.int32, [])
        found = evaluation.kernel_classifier_distance_from_activations(real, fake, size)
        with tf.Session() as session:
            self.assertAllClose(session.run(found, {size: 16}), np.mean(each))
        half = evaluation.kernel_classifier_distance_from_activations(
            real, fake, 16, dtype=tf.float32
        )
        self.assertEqual(half.dtype, tf.float32)
        with self.assertRaisesRegex(ValueError, "activations of"):
            evaluation.kernel_classifier_distance_from_activations(real, tf.to_float(fake))

    def test_activations_of_another_rank_are_refused(self):
        vector, matrix = tf.zeros([3]), tf.zeros([3, 2])
        for distance in (
            evaluation.mean_only_frechet_classifier_distance_from_activations,
            evaluation.diagonal_only_frechet_classifier_distance_from_activations,
            evaluation.frechet_classifier_distance_from_activations,
            evaluation.kernel_classifier_distance_from_activations,
        ):
            with self.assertRaises(ValueError):
                distance(matrix, vector)
        with self.assertRaises(ValueError):
            evaluation.classifier_score_from_logits(vector)

    def test_patches_are_compared_along_axes(self):
        random = np.random.RandomState(0)
        # A patch is a whole image here, and so no chance is left.
        real, fake = random.rand(2, 6, 7, 7, 3).astype(np.float32)
        found = evaluation.sliced_wasserstein_distance(
            tf.constant(real), tf.constant(fake), patches_per_image=1, use_svd=True
        )
        patches = []
        for images in (real, fake):
            flat = images.reshape(6, -1)
            patches.append((flat - flat.mean(1, keepdims=True)) / flat.std(1, keepdims=True))
        left, values, _ = np.linalg.svd(np.concatenate(patches), full_matrices=False)
        one, other = np.split(left * values, 2)
        expected = np.abs(np.sort(one, 0) - np.sort(other, 0)).mean()
        self.assertAllClose(_value(found), [(0.0, expected)], rtol=1e-3, atol=1e-5)

    def test_patches_of_like_images_are_nearer_than_those_of_other_ones(self):
        random = np.random.RandomState(0)
        stripes, noise = np.zeros([2, 8, 32, 32, 3], np.float32)
        stripes[:, ::3] = 1
        stripes += 0.2 * random.rand(*stripes.shape)
        noise += random.rand(*noise.shape)
        found = evaluation.sliced_wasserstein_distance(
            tf.constant(stripes), tf.constant(noise), random_sampling_count=4
        )
        values = _value(found)
        self.assertEqual(len(values), 2)
        self.assertLess(3 * values[0][0], values[0][1])
        for wrong in (tf.zeros([2, 32, 32, 1]), tf.zeros([2, 32, 16, 3])):
            with self.assertRaises(ValueError):
                evaluation.sliced_wasserstein_distance(wrong, wrong)

    def test_a_pyramid_has_what_each_resolution_lacks(self):
        images = np.random.RandomState(0).rand(2, 16, 16, 3).astype(np.float32)
        fine, rest = _value(laplacian_pyramid(tf.constant(images), 2))
        self.assertEqual(rest.shape, (2, 8, 8, 3))
        # Where there is no border, a smaller pixel is a weighted mean, and spreads likewise.
        line = np.float32([1, 4, 6, 4, 1]) / 16
        weights = np.outer(line, line)[None, :, :, None]
        self.assertAllClose(rest[:, 3, 4], (images[:, 4:9, 6:11] * weights).sum((1, 2)))
        spread = np.zeros_like(images)
        spread[:, ::2, ::2] = rest
        larger = 4 * (spread[:, 5:10, 6:11] * weights).sum((1, 2))
        self.assertAllClose(fine[:, 7, 8], images[:, 7, 8] - larger, atol=1e-6)
        flat = _value(laplacian_pyramid(tf.ones([1, 8, 8, 3]), 2))
        self.assertAllClose(flat[0], np.zeros([1, 8, 8, 3]), atol=1e-6)

    def test_a_classifier_of_a_file_is_run_on_prepared_images(self):
        with tf.Graph().as_default() as graph:
            fed = tf.placeholder(tf.float32, [None, 4, 4, 1], name="images")
            tf.reduce_mean(fed, [1, 2], name="mean")
            tf.reduce_max(fed, [1, 2], name="greatest")
            definition = graph.as_graph_def()
        images = np.random.RandomState(0).randint(0, 255, [2, 8, 8, 1]).astype(np.uint8)
        with tempfile.TemporaryDirectory() as folder:
            tf.train.write_graph(definition, folder, "graph.pb", as_text=False)
            read = evaluation.get_graph_def_from_disk(os.path.join(folder, "graph.pb"))
        prepared = evaluation.preprocess_image(tf.constant(images), 4, 4)
        one = evaluation.preprocess_image(tf.constant(images[0]), 4, 4)
        self.assertEqual(one.shape.as_list(), [4, 4, 1])
        mean = evaluation.run_image_classifier(prepared, read, "images:0", "mean:0")
        both = evaluation.run_image_classifier(
            prepared, read, "images:0", ["mean:0", "greatest:0"], scope="both"
        )
        self.assertEqual(both[1].op.name, "both/greatest")
        expected = (images[:, ::2, ::2].astype(np.float32) - 128) / 128
        found, mean, both, one = _value([prepared, mean, both, one])
        self.assertAllClose(found, expected)
        self.assertAllClose(one, expected[0])
        self.assertAllClose(mean, expected.mean((1, 2)))
        self.assertAllClose(both[1], expected.max((1, 2)))
        with self.assertRaises(ValueError):
            evaluation.run_image_classifier(prepared, read, "images:0", "none:0")


class ImageGridsTest(tf.test.TestCase):
    images = np.arange(6 * 2 * 3 * 3, dtype=np.float32).reshape(6, 2, 3, 3)

    def rows(self, images, columns):
        return np.concatenate([
            np.concatenate(list(images[begin : begin + columns]), 1)
            for begin in range(0, len(images), columns)
        ])  # fmt: skip

    def test_a_grid_has_the_images_in_rows(self):
        expected = self.rows(self.images, 3)[None]
        for given in (self.images, self.images.reshape(6, -1)):
            found = evaluation.image_grid(tf.constant(given), (2, 3), (2, 3), 3)
            self.assertAllEqual(_value(found), expected)

    def test_grids_of_other_numbers_or_shapes_are_refused(self):
        images = tf.constant(self.images)
        for arguments in (
            (images, (2, 2), (2, 3), 3), (images, (2, 3), (3, 3), 3), (images, (2, 3), (2, 3), 1),
            (tf.zeros([6, 17]), (2, 3), (2, 3), 3), (tf.zeros([6, 2, 9]), (2, 3), (2, 3), 3),
        ):  # fmt: skip
            with self.assertRaises(ValueError):
                evaluation.image_grid(*arguments)

    def test_a_row_that_is_not_full_has_images_of_zeros(self):
        found = _value(evaluation.image_reshaper(tf.constant(self.images[:5])))
        padded = np.concatenate([self.images[:5], np.zeros_like(self.images[:1])])
        self.assertAllEqual(found, self.rows(padded, 3)[None])
        images = [tf.constant(each) for each in self.images]
        found = _value(evaluation.image_reshaper(images, num_cols=2))
        self.assertAllEqual(found, self.rows(self.images, 2)[None])
        with self.assertRaisesRegex(ValueError, "1 or 3 channel"):
            evaluation.image_reshaper(tf.zeros([4, 2, 2, 2]))


def _generator(images, *_):
    return tf.layers.dense(images, 3, name="dense")


def _discriminator(images, _):
    return tf.layers.dense(tf.layers.flatten(images), 1, name="dense")


class SummariesTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        tf.reset_default_graph()

    def model(self):
        images = np.random.RandomState(0).rand(9, 4, 4, 3).astype(np.float32)
        return gan.gan_model(_generator, _discriminator, images, tf.constant(images[::-1].copy()))

    def tags(self):
        """Those of the summaries, of which the values can be computed."""
        found = {}
        for text in _value(tf.get_collection(tf.GraphKeys.SUMMARIES)):
            for value in tf.Summary.FromString(text).value:
                found[value.tag] = value
        return found

    def test_images_and_variables_of_a_model_have_summaries(self):
        evaluation.add_gan_model_image_summaries(self.model(), grid_size=3)
        found = self.tags()
        self.assertEqual(found["real_data/image"].image.height, 12)
        self.assertEqual(found["generated_data/image"].image.width, 12)
        self.assertEqual(len([tag for tag in found if "discriminator_variables/" in tag]), 2)
        self.assertEqual(len(found), 6)

    def test_variables_may_be_left_out_and_batches_must_be_large_enough(self):
        model = self.model()
        evaluation.add_gan_model_image_summaries(model, grid_size=2, model_summaries=False)
        self.assertEqual(sorted(self.tags()), ["generated_data/image", "real_data/image"])
        with self.assertRaisesRegex(ValueError, "incompatible with minibatch size"):
            evaluation.add_gan_model_image_summaries(model, grid_size=4)
        with self.assertRaises(ValueError):
            evaluation.add_gan_model_image_summaries(
                model._replace(real_data=tf.zeros([9, 4])), grid_size=2
            )

    def test_images_are_compared_in_rows(self):
        model = self.model()
        evaluation.add_image_comparison_summaries(model, num_comparisons=2, display_diffs=True)
        image = self.tags()["image_comparison/image"].image
        self.assertEqual((image.height, image.width), (16, 8))

    def test_both_models_of_a_cyclegan_have_summaries(self):
        images = np.random.RandomState(0).rand(4, 4, 4, 3).astype(np.float32)
        model = gan.cyclegan_model(_generator, _discriminator, images, images)
        evaluation.add_cyclegan_image_summaries(model)
        evaluation.add_gan_model_summaries(model)
        evaluation.add_regularization_loss_summaries(model)
        found = self.tags()
        for way in ("x2y", "y2x"):
            image = found[f"{way}_image_comparison_summaries/image_comparison/image"].image
            self.assertEqual((image.height, image.width), (4, 12))
            self.assertEqual(len([tag for tag in found if f"cyclegan_{way}_summaries/" in tag]), 4)
            place = f"cyclegan_{way}_regularization_loss_summaries"
            self.assertIn(f"{place}/generator_regularization_loss", found)
        with self.assertRaisesRegex(ValueError, "add_cyclegan_image_summaries"):
            evaluation.add_gan_model_image_summaries(model)
        with self.assertRaisesRegex(ValueError, "not a CycleGANModel"):
            evaluation.add_cyclegan_image_summaries(self.model())

    def test_images_are_shown_in_each_domain(self):
        def generator(images, targets):
            shift = tf.layers.dense(targets, 3, name="dense")
            return images + shift[:, None, None, :]

        def discriminator(images, domains):
            flat = tf.layers.flatten(images)
            return tf.layers.dense(flat, 1, name="one"), tf.layers.dense(flat, domains, name="two")

        images = np.random.RandomState(0).rand(3, 4, 4, 3).astype(np.float32)
        labels = tf.constant(np.eye(3, 5, dtype=np.float32))
        model = gan.stargan_model(generator, discriminator, images, labels)
        count = len(tf.global_variables())
        evaluation.add_stargan_image_summaries(model, num_images=2, display_diffs=True)
        self.assertEqual(len(tf.global_variables()), count)
        found = self.tags()
        self.assertEqual(len(found), 2)
        for value in found.values():
            self.assertEqual((value.image.height, value.image.width), (8, 24))


if __name__ == "__main__":
    unittest.main()
