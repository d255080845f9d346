"""Estimators and models of Keras whose strategy has several replicas."""

import numpy as np

import troupe as tf

CPUS = tf.ConfigProto(device_count={"CPU": 2}, allow_soft_placement=True)
ROWS = np.random.RandomState(0).randn(64, 3).astype(np.float32)
# What TensorFlow 1.15 has of two replicas after 12 steps with batches of 8 each.
MEAN, VARIANCE, KERNEL = 0.04752823, 0.9011225, [0.20780301, 0.26430544, 0.25694144]


def fixed(value):
    return tf.keras.initializers.Constant(value)


def layers_of_model():
    return [
        tf.keras.layers.Dense(4, "relu", kernel_initializer=fixed(0.3), input_shape=(3,)),
        tf.keras.layers.BatchNormalization(),
        tf.keras.layers.Dense(1, kernel_initializer=fixed(0.2)),
    ]


def input_fn():
    data = tf.data.Dataset.from_tensor_slices((ROWS, ROWS.sum(1, keepdims=True)))
    return data.repeat().batch(8)


def model_fn(features, labels, mode):
    hidden = tf.layers.dense(
        features, 4, tf.nn.relu, kernel_initializer=tf.constant_initializer(0.3)
    )
    hidden = tf.layers.batch_normalization(hidden, training=mode == "train")
    predicted = tf.layers.dense(hidden, 1, kernel_initializer=tf.constant_initializer(0.2))
    loss = tf.losses.mean_squared_error(labels, predicted)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(
            loss, global_step=tf.train.get_global_step()
        )
    errors = tf.metrics.mean_absolute_error(labels, predicted)
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, train_op=train_op, eval_metric_ops={"error": errors}
    )


class ReplicatedTrainingTest(tf.test.TestCase):
    def config(self):
        strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
        return tf.estimator.RunConfig(
            self.create_tempdir().full_path, train_distribute=strategy, session_config=CPUS
        )

    def check(self, estimator):
        estimator.train(input_fn, steps=12)
        value = estimator.get_variable_value
        self.assertAllClose(value("batch_normalization/moving_mean"), 4 * [MEAN])
        self.assertAllClose(value("batch_normalization/moving_variance"), 4 * [VARIANCE])
        self.assertAllClose(value("dense/kernel")[:, 0], KERNEL)
        self.assertAllClose(estimator.evaluate(input_fn, steps=5)["loss"], 2.2888086, rtol=1e-5)

    def test_an_estimator_trains_as_that_of_tensorflow(self):
        estimator = tf.estimator.Estimator(model_fn, config=self.config())
        self.check(estimator)
        estimator.train(input_fn, steps=3)  # from the checkpoint on, in all copies
        self.assertEqual(estimator.get_variable_value("global_step"), 15)

    def test_a_model_of_keras_trains_as_that_of_tensorflow(self):
        model = tf.keras.Sequential(layers_of_model())
        model.compile(tf.keras.optimizers.SGD(0.05, momentum=0.9), "mse")
        self.check(tf.keras.estimator.model_to_estimator(model, config=self.config()))
    def test_input_functions_return_datasets(self):
        estimator = tf.estimator.Estimator(model_fn, config=self.config())
        with self.assertRaisesRegex(ValueError, "must return a tf.data.Dataset"):
            estimator.train(lambda: (tf.ones([2, 3]), tf.ones([2, 1])), steps=1)


if __name__ == "__main__":
    tf.test.main()
