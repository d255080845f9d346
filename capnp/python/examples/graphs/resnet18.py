"""ResNet-18, narrow and for small images, learns to tell four colours apart.

resnet18.py [TARGET]
"""

import sys

import numpy as np

import troupe as tf


def convolution(x, channels, size=3, stride=1, name=None):
    """A convolution and the normalization of its batch."""
    with tf.variable_scope(name):
        shape = [size, size, int(x.shape[3]), channels]
        stddev = (2 / np.prod(shape[:3])) ** 0.5
        initializer = tf.random_normal_initializer(stddev=stddev, seed=5)
        kernel = tf.get_variable("kernel", shape, initializer=initializer)
        scale = tf.get_variable("scale", [channels], initializer=tf.ones_initializer())
        offset = tf.get_variable("offset", [channels], initializer=tf.zeros_initializer())
        y = tf.nn.conv2d(x, kernel, strides=[1, stride, stride, 1], padding="SAME")
        return tf.nn.fused_batch_norm(y, scale, offset, is_training=True)[0]


def block(x, channels, stride, name):
    """Two convolutions, to whose result the block's input is added."""
    with tf.variable_scope(name):
        y = tf.nn.relu(convolution(x, channels, stride=stride, name="first"))
        y = convolution(y, channels, name="second")
        if stride != 1 or x.shape[3] != channels:
            x = convolution(x, channels, size=1, stride=stride, name="shortcut")
        return tf.nn.relu(x + y)


def logits_of(images, width, classes):
    """17 convolutions in eight blocks, and a dense layer."""
    x = tf.nn.relu(convolution(images, width, name="stem"))
    for stage in range(4):
        for number in range(2):
            stride = 2 if stage > 0 and number == 0 else 1
            x = block(x, width * 2**stage, stride, f"stage{stage}_block{number}")
    weights = tf.get_variable(
        "output", [width * 8, classes], initializer=tf.glorot_normal_initializer(seed=6)
    )
    return tf.matmul(tf.reduce_mean(x, [1, 2]), weights)


def main(target=""):
    """Trains for some steps; gives their losses and the first logits."""
    random = np.random.RandomState(2)
    labels = np.arange(8) % 4
    images = random.normal(0, 0.3, [8, 16, 16, 3])
    images += np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]])[labels][:, None, None]

    x = tf.placeholder(tf.float32, [8, 16, 16, 3])
    logits = logits_of(x, width=8, classes=4)
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    )
    train = tf.train.GradientDescentOptimizer(0.02).minimize(loss)
    with tf.Session(target) as session:
        session.run(tf.global_variables_initializer())
        first = session.run(logits, {x: images})
        return [session.run([loss, train], {x: images})[0] for _ in range(4)], first


if __name__ == "__main__":
    results = [__doc__] if "--help" in sys.argv else main(*sys.argv[1:])
    print(*results, sep="\n")
