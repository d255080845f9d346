"""Calls of layers for cases.py: `wave` is an initializer, `half` a regularizer."""


def made(tf, *outputs):
    """The outputs of layers, the variables that were made, and the losses of regularizers."""
    variables = [v.name for v in tf.global_variables()]
    trainable = [v.name for v in tf.trainable_variables()]
    losses = tf.losses.get_regularization_losses()
    names = [output.name for output in outputs]
    return [
        *outputs,
        " ".join(variables),
        " ".join(trainable),
        *losses,
        " ".join(names),
    ]


def updated(tf, output):
    """The output, and the variables after the updates that a step of training runs."""
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        return [output, *(tf.identity(v.read_value()) for v in tf.global_variables())]


def twice(tf, layer, value):
    """A layer that is applied two times shares its variables."""
    return made(tf, layer(value), layer(value * 2))


def reused(tf, function, *args, **kwargs):
    """A function that is called two times in one scope, reusing the variables of the first."""
    with tf.variable_scope("outer"):
        first = function(*args, name="fc", **kwargs)
    with tf.variable_scope("outer", reuse=True):
        second = function(*args, name="fc", **kwargs)
    return made(tf, first, second)


def scoped(tf, layers, **defaults):
    """Layers in scopes: their names, and the defaults that they take from a variable scope."""
    with tf.name_scope("names"), tf.variable_scope("outer", **defaults):
        first = layers()
        with tf.name_scope("inner"):
            second = layers()
    with tf.variable_scope("outer", reuse=tf.AUTO_REUSE):
        return made(tf, first, second, layers())


INIT = "kernel_initializer=wave"
LAYERS = [
    f"made(tf, tf.layers.dense(x, 4, {INIT}))",
    f"made(tf, tf.layers.dense(x, 4, tf.nn.relu, False, {INIT}, name='fc'))",
    f"made(tf, tf.layers.dense(x, 2, {INIT}), tf.layers.dense(x, 2, {INIT}))",
    f"made(tf, tf.layers.dense(i, 3, {INIT}, bias_initializer=wave))",
    f"made(tf, tf.layers.dense(x, 2, {INIT}, trainable=False))",
    f"made(tf, tf.layers.dense(x, 2, {INIT}, kernel_regularizer=half, bias_regularizer=half,"
    " bias_initializer=tf.ones_initializer()))",
    f"made(tf, tf.layers.dense(x, 2, {INIT}, activity_regularizer=half))",
    f"reused(tf, tf.layers.dense, x, 2, {INIT}, kernel_regularizer=half)",
    f"twice(tf, tf.layers.Dense(2, {INIT}), x)",
    f"twice(tf, tf.layers.Dense(2, {INIT}, name='named'), x)",
    f"made(tf, tf.layers.conv1d(LINES, 4, 3, {INIT}))",
    f"made(tf, tf.layers.conv1d(LINES, 4, 2, 2, 'same', {INIT}, activation=tf.nn.relu))",
    f"made(tf, tf.layers.conv2d(i, 3, 2, {INIT}, bias_initializer=wave))",
    f"made(tf, tf.layers.conv2d(i, 3, [3, 2], (2, 1), 'same', {INIT}, use_bias=False))",
    f"made(tf, tf.layers.conv2d(i, 2, 2, dilation_rate=2, {INIT}))",
    f"made(tf, tf.layers.conv3d(VOLUMES, 2, 2, {INIT}))",
    f"reused(tf, tf.layers.conv2d, i, 2, 2, {INIT})",
    f"made(tf, tf.layers.conv2d_transpose(i, 3, 3, 2, {INIT}))",
    f"made(tf, tf.layers.conv2d_transpose(i, 3, 2, (1, 3), 'same', {INIT}))",
    f"made(tf, tf.layers.conv3d_transpose(VOLUMES, 2, 2, 2, {INIT}))",
    "made(tf, tf.layers.separable_conv2d(i, 3, 2, depthwise_initializer=wave,"
    " pointwise_initializer=wave, depth_multiplier=2, depthwise_regularizer=half))",
    "made(tf, tf.layers.separable_conv2d(i, 3, 3, 2, 'same', depthwise_initializer=wave,"
    " pointwise_initializer=wave))",
    "made(tf, tf.layers.separable_conv1d(LINES, 4, 3, 2, 'same', depthwise_initializer=wave,"
    " pointwise_initializer=wave))",
    *(f"made(tf, tf.layers.{kind}_pooling{call})" for kind in ("max", "average") for call in (
        "1d(LINES, 2, 2)", "1d(LINES, 3, 1, 'same')", "2d(i, 2, 2)",
        "2d(i, (3, 2), (1, 2), 'same')",
        "3d(VOLUMES, 2, 2)",
    )),
    "scoped(tf, lambda: tf.layers.dense(x, 2), initializer=wave)",
    "scoped(tf, lambda: tf.layers.conv2d(i, 2, 2), initializer=wave, regularizer=half)",
    "scoped(tf, lambda: tf.layers.dense(x, 2, name='fc', reuse=tf.AUTO_REUSE), initializer=wave)",
    "scoped(tf, lambda: tf.layers.batch_normalization(x), regularizer=half)",
    "made(tf, tf.layers.flatten(i))",
    "made(tf, tf.layers.flatten(i, data_format='channels_first'))",
    "made(tf, tf.layers.dropout(x))", "made(tf, tf.layers.dropout(x, 0.3, training=False))",
    "made(tf, tf.layers.batch_normalization(i))",
    "updated(tf, tf.layers.batch_normalization(i, training=True))",
    "updated(tf, tf.layers.batch_normalization(i, training=True, fused=False, momentum=0.5))",
    "updated(tf, tf.layers.batch_normalization(x, training=True))",
    "updated(tf, tf.layers.batch_normalization(x, training=tf.constant(True)))",
    "updated(tf, tf.layers.batch_normalization(i, 2, training=True, gamma_initializer=wave))",
    "updated(tf, tf.layers.batch_normalization(i, [1, 3], training=True))",
    *(f"updated(tf, tf.layers.batch_normalization({call}, training=True))" for call in (
        "x, renorm=True, renorm_momentum=0.5",
        "i, 1, renorm=True, renorm_clipping={'rmin': 0.4, 'rmax': 0.7, 'dmax': 0.1}",
        "i, [1, 3], renorm=True, momentum=0.5",
        "i, virtual_batch_size=1", "i, 2, virtual_batch_size=1, renorm=True",
        "i, adjustment=lambda shape: (tf.fill(shape[-1:], 1.1), tf.fill(shape[-1:], 0.2))",
    )),
    "made(tf, tf.layers.batch_normalization(i, virtual_batch_size=2, renorm=True))",
    "made(tf, tf.layers.batch_normalization(x, scale=False, center=False, name='bn'))",
    "made(tf, tf.layers.batch_normalization(x, beta_initializer=wave, beta_regularizer=half))",
]  # fmt: skip
