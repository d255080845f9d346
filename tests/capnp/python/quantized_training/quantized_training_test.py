"""Graphs that are rewritten for quantization have the variables and numbers of TensorFlow 1.15."""

import os
import tempfile
import unittest

import numpy as np

import troupe as tf

quantize = tf.contrib.quantize
slim = tf.contrib.slim
INPUTS = np.sin(np.arange(2 * 6 * 6 * 3.0)).reshape(2, 6, 6, 3).astype(np.float32)


# What TensorFlow gives. Where a number is half way between two levels, it may be either.
LOSSES = {
    "fused": [0.26346, 0.20453, 0.15156],
    "unfused": [0.26400, 0.20327, 0.14920],
    "delay": [0.26391, 0.19729, 0.14122],
    "freeze": [0.26346, 0.77383, 0.50251],
    "bits": [0.26186, 0.17660, 0.11979],
    "eval": [[0.16818, 0.21983, 0.20248, 0.20330], [0.18347, 0.21239, 0.20165, 0.17644]],
}
RANGES = {
    "depthwise/weights_quant/min": -0.51740, "depthwise/weights_quant/max": 0.48248,
    "depthwise/act_quant/min": 0.0, "depthwise/act_quant/max": 2.88239,
    "first/weights_quant/min": -0.54938, "first/weights_quant/max": 0.54932,
    "first/act_quant/min": 0.0, "first/act_quant/max": 2.14980,
    "last/sum/weights_quant/min": -0.28924, "last/sum/weights_quant/max": 0.31378,
    "last/act_quant/min": 0.0, "last/act_quant/max": 3.79335,
    "last/sum/conv_quant/min": -0.74300, "last/sum/conv_quant/max": 1.22709,
}  # fmt: skip


def waves(scale=0.3, shift=0.0):
    """An initializer whose values depend on nothing but the shape."""

    def initialize(shape, dtype=None, partition_info=None):
        size = int(np.prod(tf.TensorShape(shape).as_list()))
        return tf.constant(
            shift + scale * np.sin(np.arange(1.0, size + 1)), tf.float32, tf.TensorShape(shape)
        )

    return initialize


def network(is_training=True, fused=True):
    """A convolution, a depthwise one, and a layer that adds to its inputs."""
    params = {
        "is_training": is_training, "fused": fused, "decay": 0.9, "scale": True,
        "param_initializers": {"gamma": waves(0.3, 1.0), "moving_variance": waves(0.1, 0.5)},
    }  # fmt: skip
    with slim.arg_scope(
        [slim.conv2d, slim.separable_conv2d], normalizer_fn=slim.batch_norm,
        normalizer_params=params, weights_initializer=waves(), activation_fn=tf.nn.relu6,
    ):  # fmt: skip
        y = slim.conv2d(tf.constant(INPUTS), 4, 3, scope="first")
        y = slim.separable_conv2d(y, None, 3, depth_multiplier=1, scope="depthwise")
    y = tf.nn.relu(y + slim.conv2d(
        y, 4, 1, activation_fn=None, weights_initializer=waves(), scope="last/sum"
    ))  # fmt: skip
    return tf.reduce_mean(y, [1, 2])


def trained(steps=3, fused=True, path=None, **options):
    """The losses of the steps, and the variables then."""
    loss = tf.reduce_mean(tf.square(network(True, fused) - 1.0))
    quantize.experimental_create_training_graph(**options)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        losses = [session.run([loss, train_op])[0] for _ in range(steps)]
        if path:
            saver.save(session, path)
        return losses, {v.op.name: session.run(v) for v in tf.global_variables()}


def names(end):
    found = (op.name for op in tf.get_default_graph().get_operations())
    return sorted(name for name in found if name.endswith(end))


class QuantizedTrainingTest(tf.test.TestCase):
    def check(self, losses, expected, atol=2e-3):
        self.assertAllClose(losses, expected, rtol=0, atol=atol)

    def test_training_has_the_losses_and_ranges_of_tensorflow(self):
        losses, variables = trained()
        self.check(losses, LOSSES["fused"])
        for name, value in RANGES.items():
            self.assertAllClose(variables[name], value, rtol=1e-3, atol=1e-4, msg=name)

    def test_normalizations_of_several_ops_fold_alike(self):
        self.check(trained(fused=False)[0], LOSSES["unfused"], 4e-3)

    def test_nothing_is_rounded_before_the_delay(self):
        self.check(trained(quant_delay=2)[0], LOSSES["delay"])

    def test_frozen_normalizations_use_the_moving_averages(self):
        losses, variables = trained(freeze_bn_delay=2)
        self.check(losses, LOSSES["freeze"])
        average = variables["first/BatchNorm/moving_variance"]
        self.check(average, [0.52825, 0.53456, 0.46649, 0.38458], 1e-4)

    def test_bits_and_symmetric_ranges(self):
        losses, variables = trained(weight_bits=4, activation_bits=5, symmetric=True)
        self.check(losses, LOSSES["bits"], 1e-2)
        low, high = (variables[f"last/sum/weights_quant/{end}"] for end in ("min", "max"))
        self.assertAllClose(low, -high)

    def test_evaluation_reads_checkpoints_of_training(self):
        path = os.path.join(tempfile.mkdtemp(), "model")
        trained(path=path)
        with tf.Graph().as_default():
            outputs = network(False)
            quantize.create_eval_graph()
            with tf.Session() as session:
                tf.train.Saver().restore(session, path)
                self.check(session.run(outputs), LOSSES["eval"])

    def test_names_of_nodes(self):
        network()
        quantize.create_training_graph()
        self.assertEqual(names("/FakeQuantWithMinMaxVars"), [
            "depthwise/act_quant/FakeQuantWithMinMaxVars",
            "depthwise/weights_quant/FakeQuantWithMinMaxVars",
            "first/act_quant/FakeQuantWithMinMaxVars",
            "first/weights_quant/FakeQuantWithMinMaxVars",
            "last/act_quant/FakeQuantWithMinMaxVars",
            "last/sum/conv_quant/FakeQuantWithMinMaxVars",
            "last/sum/weights_quant/FakeQuantWithMinMaxVars",
        ])  # fmt: skip
        folded = ["depthwise/depthwise_Fold", "first/Conv2D_Fold"]
        self.assertEqual(names("_Fold"), folded)
        self.assertEqual(names("/biased")[0], "depthwise/act_quant/depthwise/act_quant/max/biased")

    def test_a_scope_is_rewritten_alone(self):
        network(False)
        quantize.experimental_create_eval_graph(scope="last")
        self.assertEqual(names("/min"), ["last/sum/weights_quant/min"])

    def test_shared_weights_have_one_range_unless_they_are_resources(self):
        for is_resource, count in ((None, 1), (True, 2)):
            with tf.Graph().as_default():
                with tf.variable_scope("", use_resource=is_resource):
                    y = slim.conv2d(tf.constant(INPUTS), 3, 3, scope="head")
                    slim.conv2d(y, 3, 3, scope="head", reuse=True)
                quantize.create_training_graph()
                found = [name for name in names("/min") if "weights_quant" in name]
                self.assertEqual(len(found), count)

    def test_sums_are_named_by_how_they_were_written(self):
        y = slim.conv2d(tf.constant(INPUTS), 3, 3, scope="a")
        z = slim.conv2d(y, 3, 3, scope="b")
        tf.identity(tf.add(tf.reshape(y, [-1]), tf.reshape(z, [-1]), name="called"))
        tf.identity(tf.multiply(tf.reshape(y, [-1]), tf.reshape(z, [-1]), name="product"))
        quantize.create_eval_graph()
        self.assertEqual([name for name in names("/min") if "activation" in name], [
            "called/activation_Add_quant/min", "product/activation_Mul_quant/min",
        ])  # fmt: skip

    def test_gradients_come_afterwards(self):
        loss = tf.reduce_sum(network())
        tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
        with self.assertRaisesRegex(ValueError, "Training op found in graph"):
            quantize.create_training_graph()


if __name__ == "__main__":
    unittest.main()
