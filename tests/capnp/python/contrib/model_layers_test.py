"""Less common layers of tf.contrib: their results, and the names of their variables."""

import unittest

import numpy as np

import troupe as tf

layers = tf.contrib.layers
IMAGES = np.random.RandomState(0).rand(2, 4, 6, 8).astype(np.float32)


class ModelLayersTest(tf.test.TestCase):
    def run_tensor(self, tensor):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(tensor)

    def names(self, key=tf.GraphKeys.MODEL_VARIABLES):
        return [each.op.name for each in tf.get_collection(key)]

    def test_convolutions_have_the_rank_of_their_name(self):
        for rank, layer in ((3, layers.conv1d), (4, layers.conv2d), (5, layers.conv3d)):
            values = np.ones([2, *[5] * (rank - 2), 3], np.float32)
            options = {"scope": f"rank{rank}", "weights_initializer": tf.ones_initializer()}
            outputs = layer(values, 2, 3, padding="VALID", stride=2, **options)
            self.assertAllClose(
                self.run_tensor(outputs), np.full([2, *[2] * (rank - 2), 2], 3.0 * 3 ** (rank - 2))
            )
            self.assertIn(f"rank{rank}/weights", self.names())
            with self.assertRaisesRegex(ValueError, "rank"):
                layer(np.ones([2, 5]), 2, 3)
        with self.assertRaisesRegex(ValueError, "Invalid data_format"):
            layers.convolution(IMAGES, 2, 3, data_format="CHWN")

    def test_slim_has_the_modules_of_the_functions_of_layers(self):
        slim = tf.contrib.slim
        self.assertIs(slim.initializers.xavier_initializer, layers.xavier_initializer)
        self.assertIs(slim.layers.conv2d, layers.conv2d)
        self.assertIs(slim.regularizers.l2_regularizer, layers.l2_regularizer)
        with self.assertRaisesRegex(AttributeError, "no 'initialisers'"):
            slim.initialisers

    def test_a_scope_of_arguments_reaches_one_rank_only(self):
        with tf.contrib.framework.arg_scope([layers.conv2d], activation_fn=None):
            self.assertEqual(layers.conv2d(IMAGES, 2, 3).op.type, "BiasAdd")
            self.assertEqual(layers.conv1d(IMAGES[0], 2, 3).op.type, "Relu")

    def test_transposed_convolutions_enlarge(self):
        options = {"weights_initializer": tf.ones_initializer(), "activation_fn": None}
        images = layers.conv2d_transpose(IMAGES, 3, 2, stride=2, **options)
        expected = np.broadcast_to(IMAGES.sum(-1)[..., None], (2, 4, 6, 3))
        self.assertAllClose(
            self.run_tensor(images), expected.repeat(2, axis=1).repeat(2, axis=2), 1e-5, 1e-5
        )
        volumes = layers.conv3d_transpose(np.ones([1, 2, 2, 2, 4]), 1, 2, stride=2, **options)
        self.assertAllClose(self.run_tensor(volumes), np.full([1, 4, 4, 4, 1], 4.0))
        names = ["Conv2d_transpose/weights", "Conv2d_transpose/biases"]
        self.assertEqual(self.names()[:2], names)
        with self.assertRaisesRegex(ValueError, "NCHW or NHWC"):
            layers.conv2d_transpose(IMAGES, 3, 2, data_format="NDHWC")

    def test_channels_are_convolved_by_themselves(self):
        options = {"weights_initializer": tf.ones_initializer(), "activation_fn": None}
        mean = IMAGES.reshape(2, 2, 2, 3, 2, 8).sum((2, 4))
        same = layers.conv2d_in_plane(IMAGES, 2, stride=2, padding="VALID", **options)
        own = layers.separable_conv2d(
            IMAGES, None, 2, depth_multiplier=2, stride=2, padding="VALID", **options
        )
        mixed = layers.separable_conv2d(IMAGES, 3, 2, stride=2, padding="VALID", **options)
        self.assertAllClose(self.run_tensor(same), mean, 1e-5, 1e-5)
        self.assertAllClose(self.run_tensor(own), mean.repeat(2, axis=-1), 1e-5, 1e-5)
        sums = np.broadcast_to(mean.sum(-1)[..., None], (2, 2, 3, 3))
        self.assertAllClose(self.run_tensor(mixed), sums, 1e-4, 1e-4)
        self.assertEqual(self.names(), [
            "ConvInPlane/weights", "ConvInPlane/biases",
            "SeparableConv2d/depthwise_weights", "SeparableConv2d/biases",
            "SeparableConv2d_1/depthwise_weights", "SeparableConv2d_1/pointwise_weights",
            "SeparableConv2d_1/biases",
        ])  # fmt: skip

    def test_examples_and_groups_are_normalized(self):
        each = (IMAGES - IMAGES.mean((1, 2), keepdims=True)) / IMAGES.std((1, 2), keepdims=True)
        self.assertAllClose(self.run_tensor(layers.instance_norm(IMAGES)), each, 1e-3, 1e-3)
        first = layers.instance_norm(IMAGES.transpose(0, 3, 1, 2), data_format="NCHW")
        self.assertAllClose(self.run_tensor(first), each.transpose(0, 3, 1, 2), 1e-3, 1e-3)
        groups = IMAGES.reshape(2, 4, 6, 2, 4)
        mean, std = groups.mean((1, 2, 4), keepdims=True), groups.std((1, 2, 4), keepdims=True)
        expected = ((groups - mean) / std).reshape(IMAGES.shape)
        for options in ({}, {"mean_close_to_zero": True}):
            found = layers.group_norm(IMAGES, groups=2, **options)
            self.assertAllClose(self.run_tensor(found), expected, 1e-3, 1e-3)
        with self.assertRaisesRegex(ValueError, "not commensurate with 3 groups"):
            layers.group_norm(IMAGES, groups=3)
        with self.assertRaisesRegex(ValueError, "mutually exclusive"):
            layers.group_norm(IMAGES, groups=2, reduction_axes=[-1])
        lengths = np.sqrt((IMAGES**2).sum(1, keepdims=True))
        self.assertAllClose(self.run_tensor(layers.unit_norm(IMAGES, 1)), IMAGES / lengths)
        vectors = np.array([[3.0, 4.0], [0.3, 0.4]], np.float32)
        found = self.run_tensor(layers.poincare_normalize(vectors))
        self.assertAllClose(found, [[0.6, 0.8], [0.3, 0.4]], 1e-4, 1e-4)

    def test_layers_follow_each_other(self):
        rows = layers.stack(IMAGES[0, 0], layers.fully_connected, [4, (3, None)], scope="fc")
        self.assertEqual(rows.op.type, "BiasAdd")
        with tf.variable_scope("in"):
            layers.repeat(IMAGES, 2, layers.conv2d, 8, 3)
        names = [f"fc/fc_{index}/{kind}" for index in (1, 2) for kind in ("weights", "biases")]
        self.assertEqual(self.names()[:4], names)
        self.assertEqual(self.names()[-1], "in/Repeat/convolution2d_2/biases")
        with self.assertRaisesRegex(ValueError, "list or tuple"):
            layers.stack(IMAGES, layers.conv2d, 3)

    def test_outputs_have_names_in_their_collections(self):
        with tf.variable_scope("net"):
            outputs = layers.conv2d(IMAGES, 2, 3, scope="first", outputs_collections="ends")
            pooled = layers.max_pool2d(outputs, 2, scope="pool", outputs_collections="ends")
        found = layers.utils.convert_collection_to_dict("ends", clear_collection=True)
        self.assertEqual(dict(found), {"net/first": outputs, "net/pool": pooled})
        self.assertEqual(tf.get_collection("ends"), [])
        plain = tf.identity(outputs, name="plain")
        names = layers.utils.gather_tensors_aliases([plain, pooled])
        self.assertEqual(names, ["plain", "net/pool"])

    def test_pixels_are_averaged_by_their_softmax(self):
        place = np.full([1, 3, 3, 1], -50.0, np.float32)
        place[0, 0, 2, 0] = 50.0
        self.assertAllClose(self.run_tensor(layers.spatial_softmax(place)), [[-1.0, 1.0]])
        first = layers.spatial_softmax(place.transpose(0, 3, 1, 2), 2.0, data_format="NCHW")
        self.assertAllClose(self.run_tensor(first), [[-1.0, 1.0]])
        with self.assertRaisesRegex(ValueError, "should be defined"):
            layers.spatial_softmax(tf.placeholder(tf.float32, [1, 2, 2, None]))

    def test_small_layers(self):
        values = np.array([[[1.0, 5.0, 2.0, 4.0]]], np.float32)
        self.assertAllClose(self.run_tensor(layers.maxout(values, 2)), [[[5.0, 4.0]]])
        with self.assertRaisesRegex(ValueError, "multiple of num_units"):
            layers.maxout(values, 3)
        powers = np.exp(values) / np.exp(values).sum()
        self.assertAllClose(self.run_tensor(tf.contrib.slim.softmax(values)), powers)
        added = layers.bias_add(values, initializer=tf.constant_initializer(2.0))
        self.assertAllClose(self.run_tensor(added), values + 2)
        rows = layers.legacy_relu(values, 3, weight_init=tf.ones_initializer())
        self.assertAllClose(self.run_tensor(rows), np.full([1, 1, 3], 12.0))
        self.assertEqual(self.names("biases"), ["fully_connected/bias"])
        tensor = tf.constant(3.0)
        (gradient,) = tf.gradients(layers.scale_gradient(tensor, 0.5) * 4.0, tensor)
        self.assertAllClose(self.run_tensor(gradient), 2.0)

    def test_images_are_sequences_of_columns(self):
        steps = layers.images_to_sequence(IMAGES)
        self.assertAllClose(
            self.run_tensor(steps), IMAGES.transpose(2, 0, 1, 3).reshape(6, 8, 8)
        )
        back = layers.sequence_to_images(steps, 4, "channels_first")
        self.assertAllClose(self.run_tensor(back), IMAGES.transpose(0, 3, 1, 2))

    def test_volumes_are_pooled(self):
        values = np.arange(8.0).reshape(1, 2, 2, 2, 1)
        self.assertAllClose(self.run_tensor(layers.max_pool3d(values, 2)), [[[[[7.0]]]]])
        self.assertAllClose(self.run_tensor(layers.avg_pool3d(values, 2)), [[[[[3.5]]]]])
        pooled = layers.pool(IMAGES, 2, "MAX", stride=2, outputs_collections="ends")
        expected = IMAGES.reshape(2, 2, 2, 3, 2, 8).max((2, 4))
        self.assertAllClose(self.run_tensor(pooled), expected)
        with self.assertRaisesRegex(ValueError, ">= 3"):
            layers.pool(np.ones([2, 2]), 2, "MAX")

    def test_words_are_vectors(self):
        table = np.arange(8.0, dtype=np.float32).reshape(4, 2)
        options = {"initializer": tf.constant_initializer(table)}
        words = [[1, 3, 1], [0, 0, 0]]
        for unique in (False, True):
            found = layers.embed_sequence(words, 4, 2, unique, **options)
            self.assertAllClose(self.run_tensor(found), table[np.array(words)])
        means = layers.bow_encoder(words, 4, 2, **options)
        self.assertAllClose(self.run_tensor(means), [(2 * table[1] + table[3]) / 3, table[0]])
        dense = layers.bow_encoder(words, 4, 2, sparse_lookup=False, **options)
        self.assertAllClose(self.run_tensor(dense), table[np.array(words)].mean(1))
        with self.assertRaisesRegex(ValueError, "vocab size"):
            layers.embed_sequence(words)
        sparse = self.run_tensor(layers.dense_to_sparse([["a", ""], ["", "b"]], eos_token=""))
        self.assertAllEqual(sparse.values, [b"a", b"b"])
        self.assertAllEqual(sparse.indices, [[0, 0], [1, 1]])

    def test_tensors_are_summarized_by_their_shape(self):
        hidden = tf.nn.relu6(tf.constant([-1.0, 2.0, 9.0, 8.0]), name="hidden")
        tf.add_to_collection(tf.GraphKeys.ACTIVATIONS, hidden)
        layers.summarize_activations("hid")
        self.assertIsNone(layers.summarize_tensor(tf.constant("word")))
        layers.summarize_tensors([tf.constant(1.0, name="one"), tf.constant([True])])
        summary = tf.Summary.FromString(self.run_tensor(tf.summary.merge_all()))
        found = {each.tag: each for each in summary.value}
        self.assertEqual(
            set(found), {"hidden/zeros", "hidden/sixes", "hidden/activation", "one_summary"}
        )
        self.assertEqual(found["hidden/zeros"].simple_value, 0.25)
        self.assertEqual(found["hidden/sixes"].simple_value, 0.5)

    def test_variables_are_summarized_by_what_they_are_of(self):
        summaries = layers.summaries
        weights, biases = tf.get_variable("w", [2]), tf.get_variable("b", [])
        tf.add_to_collection(tf.GraphKeys.WEIGHTS, weights)
        tf.add_to_collection(tf.GraphKeys.BIASES, biases)
        for summarize, tags in (
            (summaries.summarize_weights, ["w_summary"]),
            (summaries.summarize_biases, ["b_summary"]),
            (summaries.summarize_variables, ["w_summary_1", "b_summary_1"]),
        ):
            made = summarize()
            self.assertEqual([each.op.name for each in made], tags)
        made = summaries.summarize_variables("w", lambda each: each)
        self.assertEqual(made, [weights])
        self.assertIs(summaries.summarize_tensor, layers.summarize_tensor)


if __name__ == "__main__":
    unittest.main()
