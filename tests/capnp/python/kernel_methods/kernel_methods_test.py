"""Maps that approximate a kernel, the classifier of what they give, and its loss."""

import tempfile
import unittest

import numpy as np

import troupe as tf

kernels = tf.contrib.kernel_methods
LOGITS = np.array([[1.0, 0.5, -1.0], [0.0, 2.0, 1.5], [0.3, 0.2, 0.1]])


class MapperTest(tf.test.TestCase):
    def test_products_approximate_the_kernel(self):
        rows = np.random.RandomState(1).randn(4, 3).astype(np.float32)
        mapper = kernels.RandomFourierFeatureMapper(3, 5000, stddev=2.0, seed=7, name="map")
        self.assertEqual((mapper.input_dim, mapper.output_dim, mapper.name), (3, 5000, "map"))
        with self.session() as session:
            mapped, again = session.run([mapper.map(tf.constant(rows)) for _ in range(2)])
        self.assertAllEqual(mapped, again)
        distances = np.square(rows[:, None] - rows).sum(2)
        self.assertAllClose(mapped @ mapped.T, np.exp(-distances / (2 * 2.0**2)), atol=0.05)

    def test_the_first_numbers_are_those_of_tensorflow(self):
        mapper = kernels.RandomFourierFeatureMapper(2, 3)
        with self.session() as session:
            found = session.run(mapper.map(tf.ones([1, 2])))
        # What TensorFlow 1.15 gives for this seed.
        self.assertAllClose(found, [[-0.8157185, -0.124741, 0.02097936]], rtol=1e-5)

    def test_rows_of_another_size_are_an_error(self):
        mapper = kernels.RandomFourierFeatureMapper(2, 3)
        for shape in ([2], [2, 3]):
            with self.assertRaisesRegex(Exception, "Got|got"):
                mapper.map(tf.zeros(shape))


class LossTest(tf.test.TestCase):
    def test_the_loss_is_by_how_much_another_logit_comes_up(self):
        # 0.5 - 1 + 1, nothing, and 0.3 - 0.1 + 1.
        losses = [0.5, 0.5, 1.2]
        labels = tf.constant([0, 1, 2])
        hinge = kernels.sparse_multiclass_hinge_loss
        with self.session() as session:
            self.assertAllClose(
                session.run(hinge(labels, tf.constant(LOGITS), reduction="none")), losses
            )
            mean = hinge(tf.expand_dims(labels, 1), tf.constant(LOGITS))
            self.assertAllClose(session.run(mean), np.mean(losses))
            weighted = hinge(labels, tf.constant(LOGITS), [[2.0], [0.0], [1.0]])
            self.assertAllClose(session.run(weighted), (2 * 0.5 + 1.2) / 2)
            with self.assertRaises(tf.errors.InvalidArgumentError):
                session.run(hinge(tf.constant([0, 1, 3]), tf.constant(LOGITS)))
        self.assertEqual(len(tf.losses.get_losses()), 3)

    def test_shapes_and_dtypes_that_do_not_fit_are_errors(self):
        hinge = kernels.sparse_multiclass_hinge_loss
        labels, logits = tf.constant([0, 1, 2]), tf.constant(LOGITS)
        for arguments in (
            (labels, logits[0]),
            (tf.cast(labels, tf.float32), logits),
            (tf.reshape(labels, [1, 1, 3]), logits),
            (labels, logits, tf.ones([3, 1, 1])),
            (labels, logits, tf.ones([2])),
        ):
            with self.assertRaises(ValueError):
                hinge(*arguments)


class ClassifierTest(tf.test.TestCase):
    def test_mapped_features_tell_a_circle_from_what_is_around_it(self):
        points = np.random.RandomState(4).randn(80, 2).astype(np.float32)
        inside = (np.square(points).sum(1) < 1.2).astype(np.int32)
        column = tf.contrib.layers.real_valued_column("point", 2)
        mapper = kernels.RandomFourierFeatureMapper(2, 100)

        def inputs():
            return {"point": tf.constant(points)}, tf.constant(inside[:, None])

        with tempfile.TemporaryDirectory() as folder:
            classifier = kernels.KernelLinearClassifier(
                kernel_mappers={column: [mapper]},
                optimizer=tf.train.FtrlOptimizer(5.0),
                model_dir=folder,
            )
            classifier.fit(input_fn=inputs, steps=40)
            self.assertIn("linear/point_MAPPED/weight", classifier.get_variable_names())
            self.assertGreater(classifier.evaluate(input_fn=inputs, steps=1)["accuracy"], 0.95)
            classes = np.array(list(classifier.predict_classes(input_fn=inputs)))
            self.assertGreater(np.mean(classes == inside), 0.95)

    def test_what_is_missing_is_an_error(self):
        column = tf.contrib.layers.real_valued_column("point", 2)
        with self.assertRaisesRegex(ValueError, "at least one"):
            kernels.KernelLinearClassifier()
        with self.assertRaisesRegex(ValueError, "Invalid kernel mappers"):
            kernels.KernelLinearClassifier(kernel_mappers={column: [3]})


if __name__ == "__main__":
    unittest.main()
