"""A task of a cluster that trains and evaluates a model: TF_CONFIG=... estimator_task.py FOLDER"""

import sys

import numpy as np

import troupe as tf

tf.logging.set_verbosity(tf.logging.INFO)

ROWS = np.random.RandomState(0).rand(100, 2).astype(np.float32)
LABELS = ROWS @ np.array([[2.0], [-3.0]], np.float32)


def model_fn(features, labels, mode):
    y = tf.layers.dense(features, 1, name="d")
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"y": y})
    loss = tf.losses.mean_squared_error(labels, y)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def rows_to_serve():
    rows = tf.placeholder(tf.float32, [None, 2])
    return tf.estimator.export.TensorServingInputReceiver(rows, {"rows": rows})


config = tf.estimator.RunConfig(
    sys.argv[1], save_checkpoints_steps=50, experimental_max_worker_delay_secs=0
)
estimator = tf.estimator.Estimator(model_fn, config=config)
inputs = tf.estimator.inputs.numpy_input_fn
train_spec = tf.estimator.TrainSpec(
    inputs(ROWS, LABELS, 20, num_epochs=None, shuffle=True), max_steps=300
)
eval_spec = tf.estimator.EvalSpec(
    inputs(ROWS, LABELS, 50, shuffle=False),
    exporters=tf.estimator.FinalExporter("final", rows_to_serve),
    start_delay_secs=0,
    throttle_secs=0,
)
tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)
print(config.task_type, config.task_id, "done")
