"""Training with the variables on a parameter server."""

import contextlib
import functools

from program import task
from samples import rates_of


def classifier(tf, sizes, batch, worker):
    """The step that trains a classifier whose variables are on the ps, and its initializer."""
    setter = tf.train.replica_device_setter(
        worker_device=task("worker", worker), ps_device=task("ps"), ps_tasks=1
    )
    variable = functools.partial(tf.get_variable, use_resource=True)
    with tf.device(setter):
        x = tf.placeholder(tf.float32, [batch, sizes[0]])
        labels = tf.placeholder(tf.int64, [batch])
        h = x
        for layer, (rows, columns) in enumerate(zip(sizes, sizes[1:])):
            uniform = tf.random_uniform_initializer(-0.05, 0.05, seed=layer)
            w = variable(f"w{layer}", [rows, columns], initializer=uniform)
            b = variable(f"b{layer}", [columns], initializer=tf.zeros_initializer())
            h = tf.matmul(tf.nn.relu(h) if layer else h, w) + b
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=h)
        loss = tf.reduce_mean(losses)
        train = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)
        return x, labels, loss, train, tf.global_variables_initializer()


def training(sizes, batch, workers=2):
    """Steps a second of all workers, which train asynchronously, each with a thread."""

    def measure(side, seconds):
        import numpy as np  # here, as only the sides have it

        tf = side.tf
        random = np.random.RandomState(0)
        rows = random.rand(batch, sizes[0]).astype(np.float32)
        classes = random.randint(0, sizes[-1], batch)
        steps = []
        with contextlib.ExitStack() as stack:
            cluster = stack.enter_context(side.Cluster(ps=1, worker=workers))
            for worker in range(workers):
                with tf.Graph().as_default() as graph:
                    x, labels, loss, train, initialize = classifier(tf, sizes, batch, worker)
                session = tf.Session(cluster.target("worker", worker), graph=graph)
                stack.callback(session.close)
                if worker == 0:
                    session.run(initialize)
                feeds = {x: rows, labels: classes}
                fetches = [train, loss]
                steps.append(lambda s=session, fetches=fetches, feeds=feeds: s.run(fetches, feeds))
            return rates_of(steps, seconds)

    return measure
