"""LeNet-5 learns in which of ten stripes of an image there is light.

lenet.py [TARGET]
"""

import sys

import numpy as np

import troupe as tf


def variable(name, shape):
    """Weights whose size suits what a neuron adds up."""
    initializer = tf.truncated_normal_initializer(stddev=np.prod(shape[:-1]) ** -0.5, seed=4)
    return tf.get_variable(name, shape, initializer=initializer)


def logits_of(images):
    """Two convolutions with their pooling, and three dense layers."""
    for name, channels, padding in [("conv1", (1, 6), "SAME"), ("conv2", (6, 16), "VALID")]:
        kernel = variable(name, [5, 5, *channels])
        maps = tf.tanh(tf.nn.conv2d(images, kernel, strides=[1, 1, 1, 1], padding=padding))
        images = tf.nn.avg_pool(maps, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    hidden = tf.reshape(images, [-1, 5 * 5 * 16])
    hidden = tf.tanh(tf.matmul(hidden, variable("dense1", [400, 120])))
    hidden = tf.tanh(tf.matmul(hidden, variable("dense2", [120, 84])))
    return tf.matmul(hidden, variable("output", [84, 10]))


def main(target=""):
    """Trains; gives the losses, and the classes of ten images."""
    random = np.random.RandomState(1)
    labels = np.arange(20) % 10
    images = random.uniform(0, 0.2, [20, 28, 28, 1])
    for image, label in zip(images, labels):
        image[2 * label + 3 : 2 * label + 6] += 0.8

    x = tf.placeholder(tf.float32, [None, 28, 28, 1])
    y = tf.placeholder(tf.int64, [None])
    logits = logits_of(x)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
    with tf.Session(target) as session:
        session.run(tf.global_variables_initializer())
        losses = [session.run([loss, train], {x: images, y: labels})[0] for _ in range(15)]
        return losses, session.run(tf.argmax(logits, 1), {x: images[:10]})


if __name__ == "__main__":
    results = [__doc__] if "--help" in sys.argv else main(*sys.argv[1:])
    print(*results, sep="\n")
