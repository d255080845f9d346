"""Products of matrices and convolutions in the client's process: operations a second."""

from samples import times_of


def _variable(tf, name, shape):
    values = tf.random_uniform(shape, minval=-1.0, maxval=1.0, seed=1)
    return tf.get_variable(name, initializer=values, use_resource=True)


def product(size):
    """Of two square matrices."""

    def build(tf):
        x, y = (_variable(tf, name, [size, size]) for name in "xy")
        return tf.matmul(x, y).op, 2 * size**3

    return _rate(build)


def convolution(batch, size, channels, filters, kernel, stride):
    """Of square images with channels last."""

    def build(tf):
        x = _variable(tf, "x", [batch, size, size, channels])
        w = _variable(tf, "w", [kernel, kernel, channels, filters])
        y = tf.nn.conv2d(x, w, strides=[1, stride, stride, 1], padding="SAME")
        return y.op, 2 * y.shape.num_elements() * kernel * kernel * channels

    return _rate(build)


def _rate(build):
    def measure(side, seconds):
        tf = side.tf
        op, operations = build(tf)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            step = session.make_callable(op)
            return [operations / 1e9 / time_s for time_s in times_of(step, seconds)]

    return measure
