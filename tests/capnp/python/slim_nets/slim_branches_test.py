"""Networks of tf.contrib.slim with parallel branches, and those of large windows."""

import unittest

import numpy as np

import troupe as tf

slim = tf.contrib.slim
nets = slim.nets


def variables():
    return {each.op.name: each.shape.as_list() for each in tf.model_variables()}


class InceptionTest(tf.test.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def build(self, version, size, **given):
        images = tf.placeholder(tf.float32, [2, size, size, 3])
        module = getattr(nets, f"inception_v{version}")
        with slim.arg_scope(getattr(module, f"inception_v{version}_arg_scope")()):
            return getattr(module, f"inception_v{version}")(images, 10, **given)

    def test_the_first_one_has_the_variables_of_checkpoints(self):
        logits, found = self.build(1, 224)
        self.assertEqual(logits.op.name, "InceptionV1/Logits/SpatialSqueeze")
        self.assertEqual(logits.shape.as_list(), [2, 10])
        self.assertEqual(found["Mixed_5c"].shape.as_list(), [2, 7, 7, 1024])
        self.assertEqual(found["Predictions"].op.name, "InceptionV1/Logits/Predictions/Reshape_1")
        named = variables()
        own = "InceptionV1/Mixed_5b/Branch_2/Conv2d_0a_3x3/weights"
        self.assertEqual(named[own], [3, 3, 32, 128])
        self.assertIn("InceptionV1/Logits/Conv2d_0c_1x1/biases", named)
        self.assertIn("InceptionV1/Conv2d_1a_7x7/BatchNorm/moving_mean", named)

    def test_the_second_one_begins_with_a_separable_convolution(self):
        logits, found = self.build(2, 224, depth_multiplier=0.5)
        self.assertEqual(logits.shape.as_list(), [2, 10])
        self.assertEqual(found["Mixed_4e"].shape.as_list(), [2, 14, 14, 288])
        named = variables()
        first = "InceptionV2/Conv2d_1a_7x7"
        self.assertEqual(named[f"{first}/depthwise_weights"], [7, 7, 3, 8])
        self.assertEqual(named[f"{first}/pointwise_weights"], [1, 1, 24, 32])
        self.assertIn("InceptionV2/Logits/Conv2d_1c_1x1/weights", named)

    def test_the_third_one_has_the_variables_of_checkpoints(self):
        logits, found = self.build(3, 299)
        self.assertEqual(logits.shape.as_list(), [2, 10])
        self.assertEqual(found["AuxLogits"].op.name, "InceptionV3/AuxLogits/SpatialSqueeze")
        self.assertEqual(found["PreLogits"].shape.as_list(), [2, 1, 1, 2048])
        self.assertEqual(found["Mixed_6a"].shape.as_list(), [2, 17, 17, 768])
        named = variables()
        base = "InceptionV3"
        self.assertEqual(
            named[f"{base}/Mixed_5c/Branch_1/Conv_1_0c_5x5/weights"], [5, 5, 48, 64]
        )
        self.assertEqual(
            named[f"{base}/Mixed_6a/Branch_0/Conv2d_1a_1x1/weights"], [3, 3, 288, 384]
        )
        self.assertEqual(
            named[f"{base}/Mixed_7b/Branch_1/Conv2d_0b_3x1/weights"], [3, 1, 384, 384]
        )
        self.assertIn("InceptionV3/AuxLogits/Conv2d_2a_5x5/weights", named)
        self.assertEqual(named[f"{base}/Mixed_7c/Branch_1/Conv2d_0c_3x1/weights"][3], 384)
        # As many numbers as the published network has before its logits.
        sizes = sum(int(np.prod(e)) for name, e in named.items() if "Logits" not in name)
        self.assertEqual(sizes, 21802784)

    def test_a_network_ends_at_the_named_part(self):
        images = tf.placeholder(tf.float32, [1, 64, 64, 3])
        net, found = nets.inception.inception_v3_base(images, "Mixed_5b", depth_multiplier=0.1)
        self.assertIs(net, found["Mixed_5b"])
        self.assertEqual(list(found)[-2:], ["MaxPool_5a_3x3", "Mixed_5b"])
        with self.assertRaisesRegex(ValueError, "Unknown final endpoint Mixed_9z"):
            nets.inception.inception_v1_base(images, "Mixed_9z", scope="far")

    def test_a_multiplier_of_channels_is_above_zero(self):
        for version in (2, 3):
            with self.assertRaisesRegex(ValueError, "greater than zero"):
                self.build(version, 64, depth_multiplier=0.0)

    def test_small_images_have_a_smaller_last_window(self):
        _, found = self.build(2, 64, min_depth=4, depth_multiplier=0.05)
        self.assertIn("AvgPool_1a_2x2", [each.name.split("/")[2] for each in self.ops()])
        self.assertEqual(found["Logits"].shape.as_list(), [2, 10])

    def ops(self):
        return [
            each for each in tf.get_default_graph().get_operations()
            if each.name.startswith("InceptionV2/Logits/")
        ]  # fmt: skip

    def test_a_narrow_network_computes_probabilities(self):
        images = tf.random_normal([2, 32, 32, 3], seed=1)
        with slim.arg_scope(nets.inception.inception_v2_arg_scope()):
            _, found = nets.inception.inception_v2(
                images, 3, is_training=False, min_depth=4, depth_multiplier=0.05
            )
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            got = session.run(found["Predictions"])
        self.assertAllClose(got.sum(1), [1.0, 1.0], rtol=1e-5)

    def test_a_first_network_goes_without_normalization(self):
        images = tf.placeholder(tf.float32, [1, 64, 64, 3])
        with slim.arg_scope(nets.inception_v1.inception_v1_arg_scope(use_batch_norm=False)):
            nets.inception_v1.inception_v1_base(images, "Mixed_3b")
        self.assertIn("InceptionV1/Mixed_3b/Branch_0/Conv2d_0a_1x1/biases", variables())


class LargeWindowsTest(tf.test.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_networks_have_their_layers(self):
        for module, name, size, window, biases in (
            (nets.alexnet, "alexnet_v2", 224, 5, 0.1), (nets.overfeat, "overfeat", 231, 6, 0.0),
        ):  # fmt: skip
            with self.subTest(name=name):
                tf.reset_default_graph()
                network = getattr(module, name)
                images = tf.placeholder(tf.float32, [1, size, size, 3])
                with slim.arg_scope(getattr(module, f"{name}_arg_scope")()):
                    net, found = network(images, 7)
                self.assertEqual(network.default_image_size, size)
                self.assertEqual(net.shape.as_list(), [1, 7])
                self.assertIs(found[f"{name}/fc8"], net)
                self.assertIn(f"{name}/pool5", found)
                named = variables()
                self.assertEqual(len(named), 16)
                self.assertEqual(named[f"{name}/fc6/weights"][:2], [window, window])
                with tf.Session() as session:
                    first = slim.get_variables(f"{name}/conv1/biases")[0]
                    session.run(first.initializer)
                    self.assertAllClose(session.run(first), np.full(64, biases))


if __name__ == "__main__":
    unittest.main()
