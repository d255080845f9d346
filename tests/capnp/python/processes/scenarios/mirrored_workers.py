"""A worker whose replicas are synchronized with those of the others; TF_CONFIG says which it is.

Usage: mirrored_workers.py FOLDER STEPS [alone]; alone, it takes the batches of two workers.
"""

import sys

import numpy as np

import troupe as tf

ROWS = np.random.RandomState(0).randn(64, 3).astype(np.float32)


def model_fn(features, labels, mode):
    predicted = tf.layers.dense(features, 1, kernel_initializer=tf.zeros_initializer())
    loss = tf.losses.mean_squared_error(labels, predicted)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def rows():
    return tf.data.Dataset.from_tensor_slices((ROWS, ROWS.sum(1, keepdims=True)))


def part_of_batches(input_context):
    parts = (input_context.num_input_pipelines, input_context.input_pipeline_id)
    return rows().batch(8).shard(*parts).repeat()


class Told(tf.train.SessionRunHook):
    """Says that steps are taken."""

    def after_run(self, run_context, run_values):
        print("step", flush=True)


def main(folder, steps, *alone):
    strategy = None if alone else tf.distribute.experimental.MultiWorkerMirroredStrategy()
    config = tf.estimator.RunConfig(folder, train_distribute=strategy)
    estimator = tf.estimator.Estimator(model_fn, config=config)
    if alone:
        estimator.train(lambda: rows().batch(16).repeat(), steps=int(steps))
    else:
        spec = tf.estimator.TrainSpec(part_of_batches, max_steps=int(steps), hooks=[Told()])
        tf.estimator.train_and_evaluate(estimator, spec, tf.estimator.EvalSpec(rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
