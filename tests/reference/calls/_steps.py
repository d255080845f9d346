"""First steps of ops that have a stream of random bits."""

import tensorflow as tf


def first_step(op, inputs, attrs):
    """What an op answers in a graph of its own, on one thread: so nothing was drawn before."""
    attrs = {k: tf.as_dtype(v) if k in ("dtype", "Tout", "output_dtype") else v
             for k, v in attrs.items()}
    with tf.Graph().as_default() as graph:
        answer = getattr(tf.raw_ops, op)(**inputs, **attrs)
        config = tf.compat.v1.ConfigProto(
            intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
        with tf.compat.v1.Session(graph=graph, config=config) as session:
            return session.run(answer)


def record_first_step(r, op, inputs, exact=True, **attrs):
    """The call with the results of its first step. `inputs` are by name, in the op's order; numbers
    that are not `exact` differ in their last digits where sines and logarithms do."""
    answer = first_step(op, inputs, attrs)
    outputs = list(answer) if isinstance(answer, (list, tuple)) else [answer]
    r.call(op, *inputs.values(), outputs=outputs, gradient=[],
           tolerance=0.0 if exact else None, **attrs)
