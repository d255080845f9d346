"""A generative adversarial network learns to draw numbers as a normal distribution does.

gan.py [TARGET]
"""

import sys

import troupe as tf

BATCH = 64


def network(x, name, reuse=None):
    """Two dense layers, with variables below `name`."""
    with tf.variable_scope(name, reuse=reuse):
        initializer = tf.random_uniform_initializer(-0.7, 0.7, seed=14)
        inner = tf.get_variable("inner", [1, 16], initializer=initializer)
        biases = tf.get_variable("biases", [16], initializer=initializer)
        outer = tf.get_variable("outer", [16, 1], initializer=initializer)
        return tf.matmul(tf.nn.softplus(tf.matmul(x, inner) + biases), outer)


def cross_entropy(logits, label):
    labels = tf.fill(tf.shape(logits), label)
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))


def main(target=""):
    """Trains both; gives, of some steps, the two losses and the mean of what is drawn."""
    real = tf.random_normal([BATCH, 1], mean=3.0, stddev=0.5, seed=16)
    drawn = network(tf.random_normal([BATCH, 1], seed=17), "generator")
    real_logits = network(real, "discriminator")
    drawn_logits = network(drawn, "discriminator", reuse=True)
    discriminator_loss = cross_entropy(real_logits, 1.0) + cross_entropy(drawn_logits, 0.0)
    generator_loss = cross_entropy(drawn_logits, 1.0)

    # Both are improved at once, by what they are before the step.
    optimizer = tf.train.GradientDescentOptimizer(0.05)
    pairs = []
    for loss, name in [(discriminator_loss, "discriminator"), (generator_loss, "generator")]:
        variables = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=name)
        pairs += optimizer.compute_gradients(loss, variables)
    with tf.control_dependencies([gradient for gradient, _ in pairs]):
        train = optimizer.apply_gradients(pairs)
    with tf.Session(target) as session:
        session.run(tf.global_variables_initializer())
        fetches = [discriminator_loss, generator_loss, tf.reduce_mean(drawn)]
        values = [session.run([fetches, train])[0] for _ in range(30)]
        return (values[::10],)


if __name__ == "__main__":
    results = [__doc__] if "--help" in sys.argv else main(*sys.argv[1:])
    print(*results, sep="\n")
