"""Training of convolutional networks in the client's process: steps a second."""

from samples import times_of

LENET_BATCH = 64
RESNET_BATCH, RESNET_SIZE = 8, 112


def _variable(tf, name, shape):
    initial = tf.random_normal_initializer(stddev=0.05, seed=1)
    return tf.get_variable(name, shape, initializer=initial, use_resource=True)


def _convolution(tf, x, filters, kernel, stride=1):
    w = _variable(tf, "w", [kernel, kernel, int(x.shape[-1]), filters])
    return tf.nn.conv2d(x, w, strides=[1, stride, stride, 1], padding="SAME")


def _dense(tf, x, size):
    return tf.matmul(x, _variable(tf, "w", [int(x.shape[-1]), size])) + _variable(tf, "b", [size])


def _normalized(tf, x):
    channels = [int(x.shape[-1])]
    ones = tf.ones_initializer()
    scale = tf.get_variable("scale", channels, initializer=ones, use_resource=True)
    return tf.nn.fused_batch_norm(x, scale, _variable(tf, "offset", channels))[0]


def _pooled(tf, x, window):
    return tf.nn.max_pool(x, [1, window, window, 1], [1, 2, 2, 1], "SAME")


def lenet(tf):
    """Two convolutions with pools and two dense layers, of images of 28 x 28."""
    x = tf.random_uniform([LENET_BATCH, 28, 28, 1], seed=1)
    for i, filters in enumerate((32, 64)):
        with tf.variable_scope(f"convolution_{i}"):
            x = _convolution(tf, x, filters, 5)
            x = _pooled(tf, tf.nn.relu(x + _variable(tf, "b", [filters])), 2)
    x = tf.reshape(x, [LENET_BATCH, 7 * 7 * 64])
    with tf.variable_scope("dense"):
        x = tf.nn.relu(_dense(tf, x, 1024))
    with tf.variable_scope("digits"):
        return _dense(tf, x, 10)


def _residual_block(tf, x, filters, stride):
    """Two convolutions, added to their input, or to one of it where sizes differ (He, 2015)."""
    shortcut, inputs = x, x
    if stride != 1 or int(x.shape[-1]) != filters:
        with tf.variable_scope("shortcut"):
            shortcut = _normalized(tf, _convolution(tf, inputs, filters, 1, stride))
    with tf.variable_scope("first"):
        x = tf.nn.relu(_normalized(tf, _convolution(tf, inputs, filters, 3, stride)))
    with tf.variable_scope("second"):
        return tf.nn.relu(_normalized(tf, _convolution(tf, x, filters, 3)) + shortcut)


def resnet_18(tf):
    """ResNet-18, of images of 112 x 112."""
    x = tf.random_uniform([RESNET_BATCH, RESNET_SIZE, RESNET_SIZE, 3], seed=1)
    with tf.variable_scope("stem"):
        x = _pooled(tf, tf.nn.relu(_normalized(tf, _convolution(tf, x, 64, 7, 2))), 3)
    for i, filters in enumerate((64, 128, 256, 512)):
        for block in range(2):
            with tf.variable_scope(f"stage_{i}_{block}"):
                x = _residual_block(tf, x, filters, 2 if i > 0 and block == 0 else 1)
    with tf.variable_scope("classes"):
        return _dense(tf, tf.reduce_mean(x, [1, 2]), 1000)


def network(build):
    """Steps a second of gradient descent, each of one batch of random images."""

    def measure(side, seconds):
        tf = side.tf
        logits = build(tf)
        labels = tf.zeros([int(logits.shape[0])], tf.int32)
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        )
        train = tf.train.GradientDescentOptimizer(0.001).minimize(loss)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return [1 / time_s for time_s in times_of(session.make_callable(train), seconds)]

    return measure
