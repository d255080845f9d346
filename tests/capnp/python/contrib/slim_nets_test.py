"""Networks of tf.contrib.slim: the names and shapes of their results and variables."""

import unittest

import numpy as np

import troupe as tf

slim = tf.contrib.slim
nets = slim.nets


class SlimNetsTest(tf.test.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def count(self, name):
        return sum(name in each.op.name for each in tf.model_variables())

    def test_residual_networks_have_their_layers(self):
        for version, module in ((1, nets.resnet_v1), (2, nets.resnet_v2)):
            for depth, units in ((50, 16), (101, 33), (152, 50), (200, 66)):
                with self.subTest(version=version, depth=depth):
                    tf.reset_default_graph()
                    name = f"resnet_v{version}_{depth}"
                    images = tf.placeholder(tf.float32, [2, 64, 64, 3])
                    with slim.arg_scope(nets.resnet_utils.resnet_arg_scope()):
                        net, found = getattr(module, name)(images, 10, is_training=False)
                    self.assertEqual(net.shape.as_list(), [2, 1, 1, 10])
                    self.assertEqual(net.op.name, f"{name}/logits/BiasAdd")
                    self.assertEqual(found[f"{name}/block4"].shape.as_list(), [2, 2, 2, 2048])
                    unit = f"{name}/block1/unit_1/bottleneck_v{version}"
                    self.assertIn(f"{unit}/conv2", found)
                    self.assertEqual(self.count("conv2/weights"), units)
                    self.assertEqual(self.count("shortcut/weights"), 4)
                    self.assertEqual(found["predictions"].shape.as_list(), [2, 1, 1, 10])

    def test_strides_become_dilations(self):
        images = tf.placeholder(tf.float32, [1, None, None, 3])
        with slim.arg_scope(nets.resnet_v1.resnet_arg_scope()):
            net, _ = nets.resnet_v1.resnet_v1_50(images, global_pool=False, output_stride=8)
            with self.assertRaisesRegex(ValueError, "multiple of 4"):
                nets.resnet_v1.resnet_v1_50(images, output_stride=6, scope="wrong")
            with self.assertRaisesRegex(ValueError, "cannot be reached"):
                nets.resnet_v1.resnet_v1_50(images, output_stride=64, scope="far")
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            found = session.run(net, {images: np.ones([1, 65, 65, 3])})
        self.assertEqual(found.shape, (1, 9, 9, 2048))

    def test_a_small_residual_network_trains(self):
        blocks = [nets.resnet_v2.resnet_v2_block("block1", 2, 2, 2)]
        images = tf.random_normal([4, 16, 16, 3], seed=1)
        with slim.arg_scope(nets.resnet_v2.resnet_arg_scope()):
            net, found = nets.resnet_v2.resnet_v2(images, blocks, 3, output_stride=8)
        self.assertEqual(found["resnet_v2/block1"].shape.as_list(), [4, 2, 2, 8])
        loss = slim.losses.sparse_softmax_cross_entropy(tf.squeeze(net, [1, 2]), [0, 1, 2, 0])
        train_op = slim.learning.create_train_op(loss, tf.train.GradientDescentOptimizer(0.1))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertGreater(session.run(train_op), 0.0)

    def test_plain_networks_have_their_layers(self):
        for name, count in (("vgg_a", 8), ("vgg_16", 13), ("vgg_19", 16)):
            with self.subTest(name=name):
                tf.reset_default_graph()
                images = tf.placeholder(tf.float32, [1, 224, 224, 3])
                with slim.arg_scope(nets.vgg.vgg_arg_scope()):
                    net, found = getattr(nets.vgg, name)(images, 5)
                self.assertEqual(net.shape.as_list(), [1, 5])
                self.assertIs(found[f"{name}/fc8"], net)
                self.assertIn(f"{name}/pool5", found)
                self.assertEqual(self.count("/conv"), 2 * count)
                self.assertLen(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES), count + 3)
        self.assertEqual(nets.vgg.vgg_16.default_image_size, 224)

    def test_one_pixel_of_several_is_taken(self):
        images = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        self.assertIs(nets.resnet_utils.subsample(images, 1), images)
        with tf.Session() as session:
            found = session.run(nets.resnet_utils.subsample(images, 2))
        self.assertAllEqual(found[0, :, :, 0], [[0, 2], [8, 10]])


if __name__ == "__main__":
    unittest.main()
