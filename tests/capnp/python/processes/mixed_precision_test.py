"""Sessions in mixed precision on emulated cards, which run the kernels of cards on the host."""

import os
import unittest

from nodes import PROGRAMS, Nodes

# Read when the first session opens.
os.environ["TROUPE_CARD_LIBRARY"] = str(PROGRAMS.parent / "lib/libtroupe_emulated_cuda.so")

import numpy as np  # noqa: E402
import troupe as tf  # noqa: E402
from troupe.core.protobuf.rewriter_config_pb2 import RewriterConfig  # noqa: E402

experimental = tf.train.experimental


def config_of(value):
    config = tf.ConfigProto(allow_soft_placement=True)
    config.graph_options.rewrite_options.auto_mixed_precision = value
    return config


def square_of_a_variable(target="", config=None):
    """2 to the power of 20, which is infinite in float16, computed by a card."""
    tf.reset_default_graph()
    with tf.device("/job:worker/gpu:0" if target else "/gpu:0"):
        v = tf.Variable([[2.0**10]])
        y = tf.reshape(tf.matmul(v, v), [])
    with tf.Session(target, config=config) as session:
        session.run(tf.global_variables_initializer())
        return session.run(y)


class Convolutions:
    """Two convolutions with normalization that learn on which side images are bright."""

    def __init__(self, optimizer):
        with tf.device("/gpu:0"):
            self.images = tf.placeholder(tf.float32, [16, 8, 8, 1])
            self.labels = tf.placeholder(tf.int32, [16])
            x = self.images
            for number in range(2):
                kernel = tf.glorot_uniform_initializer(seed=number)
                x = tf.layers.conv2d(x, 4, 3, padding="same", kernel_initializer=kernel)
                x = tf.nn.relu(tf.layers.batch_normalization(x, training=True))
            kernel = tf.glorot_uniform_initializer(seed=2)
            self.logits = tf.layers.dense(tf.layers.flatten(x), 2, kernel_initializer=kernel)
            self.loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(
                    labels=self.labels, logits=self.logits
                )
            )
            self.train = optimizer.minimize(self.loss)

    def learn(self, config):
        """The losses of the steps, and the casts of the last one."""
        images = np.random.RandomState(0).rand(16, 8, 8, 1)
        images[:8, :, :4] += 1
        images[8:, :, 4:] += 1
        feeds = {self.images: images, self.labels: [0] * 8 + [1] * 8}
        metadata = tf.RunMetadata()
        options = tf.RunOptions(output_partition_graphs=True)
        with tf.Session(config=config) as session:
            session.run(tf.global_variables_initializer())
            losses = [session.run([self.loss, self.train], feeds)[0] for _ in range(8)]
            session.run(self.train, feeds, options, metadata)
        nodes = [node for graph in metadata.partition_graphs for node in graph.node]
        suffix = "-AutoMixedPrecision"
        return losses, {node.name[: -len(suffix)] for node in nodes if node.name.endswith(suffix)}


class MixedPrecisionTest(unittest.TestCase):
    def tearDown(self):
        with self.assertLogs("troupe", "WARNING"):
            tf.logging.warning("of the case")
            experimental.disable_mixed_precision_graph_rewrite()

    def test_a_session_that_asks_for_it_computes_in_float16_on_cards(self):
        self.assertEqual(square_of_a_variable(config=config_of(RewriterConfig.ON)), np.inf)
        self.assertEqual(square_of_a_variable(config=config_of(RewriterConfig.OFF)), 2.0**20)
        self.assertEqual(square_of_a_variable(config=config_of(RewriterConfig.DEFAULT)), 2.0**20)
        config = config_of(RewriterConfig.ON)
        config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
        self.assertEqual(square_of_a_variable(config=config), np.inf)
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        self.assertEqual(square_of_a_variable(config=config), 2.0**20)

    def test_a_session_of_a_cluster_asks_its_master_for_it(self):
        with Nodes(worker=1) as nodes:
            on = square_of_a_variable(nodes.target("worker", 0), config_of(RewriterConfig.ON))
            off = square_of_a_variable(nodes.target("worker", 0), config_of(RewriterConfig.OFF))
        self.assertEqual((on, off), (np.inf, 2.0**20))

    def test_sessions_that_are_made_while_it_is_enabled_have_it_unless_they_say_off(self):
        sgd = tf.train.GradientDescentOptimizer(1.0)
        wrapped = experimental.enable_mixed_precision_graph_rewrite(sgd, 16.0)
        self.assertIsInstance(wrapped, experimental.MixedPrecisionLossScaleOptimizer)
        self.assertEqual(square_of_a_variable(), np.inf)
        given = tf.ConfigProto()
        self.assertEqual(square_of_a_variable(config=given), np.inf)
        self.assertEqual(given, tf.ConfigProto())
        self.assertEqual(square_of_a_variable(config=config_of(RewriterConfig.OFF)), 2.0**20)
        experimental.disable_mixed_precision_graph_rewrite()
        self.assertEqual(square_of_a_variable(), 2.0**20)

    def test_sessions_before_it_was_enabled_are_warned_of(self):
        tf.Session().close()
        with self.assertLogs("troupe", "WARNING") as logs:
            sgd = tf.keras.optimizers.SGD(1.0)
            wrapped = experimental.enable_mixed_precision_graph_rewrite(sgd)
        self.assertIn("existing Sessions that do not use mixed precision", logs.output[0])
        kind = tf.keras.mixed_precision.experimental.LossScaleOptimizer
        self.assertIsInstance(wrapped, kind)
        for wrong in (wrapped, 1, "sgd"):
            with self.assertRaisesRegex(ValueError, '"opt" must'):
                experimental.enable_mixed_precision_graph_rewrite(wrong)

    def test_what_is_wrong_enables_nothing(self):
        with self.assertRaisesRegex(ValueError, '"opt" must be an instance of'):
            experimental.enable_mixed_precision_graph_rewrite(None)
        self.assertEqual(square_of_a_variable(), 2.0**20)

    def test_a_network_learns_in_float16_as_in_float32(self):
        def learned(value):
            tf.reset_default_graph()
            scale = experimental.DynamicLossScale(2.0**10)
            adam = tf.train.AdamOptimizer(0.01)
            optimizer = experimental.MixedPrecisionLossScaleOptimizer(adam, scale)
            return Convolutions(optimizer).learn(config_of(value))

        expected, none = learned(RewriterConfig.OFF)
        losses, casts = learned(RewriterConfig.ON)
        self.assertLess(losses[-1], losses[0] / 2)
        self.assertLess(np.abs(np.array(losses) - expected).max(), 0.05)
        self.assertEqual(none, set())
        # Between the images and the logits nothing is cast but what is read, both ways.
        forward = {cast for cast in casts if not cast.startswith("gradients/")}
        reads = ["conv2d/kernel", "conv2d/bias", "conv2d_1/kernel", "conv2d_1/bias", "dense/kernel"]
        found = {f"{name}/read_1-0-CastToFp16" for name in reads}
        ends = {"Placeholder-0-CastToFp16", "dense/MatMul-0-CastToFp32"}
        self.assertEqual(forward, found | ends)
        filters = [cast for cast in casts if "Conv2DBackpropFilter-0-CastToFp32" in cast]
        self.assertEqual(len(filters), 2)

    def test_a_wrong_list_of_the_environment_is_an_error_of_the_session(self):
        name = "TF_AUTO_MIXED_PRECISION_GRAPH_REWRITE_LEVEL"
        os.environ[name] = "HIGH"
        try:
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "TENSOR_CORES_ONLY"):
                square_of_a_variable(config=config_of(RewriterConfig.ON))
        finally:
            del os.environ[name]


if __name__ == "__main__":
    unittest.main()
