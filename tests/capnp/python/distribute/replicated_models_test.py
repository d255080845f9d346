"""`fit` of Keras's models in the scope of a strategy with several replicas."""

import numpy as np

import troupe as tf

K = tf.keras.backend
layers = tf.keras.layers
ROWS = np.random.RandomState(0).randn(64, 3).astype(np.float32)
SUMS = ROWS.sum(1, keepdims=True)
# What TensorFlow 1.15 has of two replicas after 3 epochs, in batches of 16.
MEAN, VARIANCE, KERNEL = 0.04752823, 0.9011225, 0.20780301
LOSSES, VALIDATED = [1.5857267, 1.1691301, 1.0128752], [2.0720575, 2.4334472, 2.5828045]


def fixed(value):
    return tf.keras.initializers.Constant(value)


def dense(size, value=0.2, **options):
    return layers.Dense(size, kernel_initializer=fixed(value), **options)


def regression():
    model = tf.keras.Sequential(
        [dense(4, 0.3, activation="relu", input_shape=(3,)), layers.BatchNormalization(), dense(1)]
    )
    model.compile(tf.keras.optimizers.SGD(0.05, momentum=0.9), "mse", metrics=["mae"])
    return model


def sequences():
    model = tf.keras.Sequential()
    model.add(layers.Embedding(7, 4, mask_zero=True, embeddings_initializer=fixed(0.1)))
    model.add(layers.LSTM(3, kernel_initializer=fixed(0.2), recurrent_initializer=fixed(0.1)))
    model.add(dense(2, 0.1, activation="softmax", bias_initializer=tf.keras.initializers.Ones()))
    model.compile(tf.keras.optimizers.Adam(0.02), "sparse_categorical_crossentropy", ["accuracy"])
    return model


def two_outputs():
    first, second = layers.Input((3,)), layers.Input((2,))
    hidden = dense(4, 0.3, activation="tanh", kernel_regularizer=tf.keras.regularizers.l2(0.1))
    joined = layers.concatenate([hidden(first), second])
    scaled = dense(3, activity_regularizer=tf.keras.regularizers.l1(0.05))(joined)
    outputs = [dense(1, name="a")(scaled), dense(2, name="b")(joined)]
    model = tf.keras.Model([first, second], outputs)
    model.add_loss(K.mean(K.square(scaled)) * 0.1)
    model.compile(tf.train.MomentumOptimizer(0.02, 0.9), {"a": "mse", "b": "mae"}, ["mse"])
    return model


class Halves(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = dense(4, 0.3, activation="tanh"), dense(1)

    def call(self, inputs):
        return self.out(self.hidden(inputs)) / 2.0


def of_class():
    model = Halves()
    model.compile(tf.keras.optimizers.SGD(0.05), "mse")
    return model


class ReplicatedModelsTest(tf.test.TestCase):
    def setUp(self):
        K.clear_session()
        self.strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1", "/cpu:2"])
        self.two = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])

    def replicated(self, make):
        with self.strategy.scope():
            return make()

    def check_as_alone(self, make, *given, batch_size=7, **options):
        """A model learns with three replicas what it learns with one."""
        found = []
        for replicate in (lambda make: make(), self.replicated):
            K.clear_session()
            model = replicate(make)
            history = model.fit(
                *given, batch_size=batch_size, epochs=2, shuffle=False, verbose=0, **options
            ).history
            inputs = given[0]
            found.append(
                [history, model.get_weights(), model.predict(inputs, batch_size=5),
                 np.ravel(model.evaluate(*given, batch_size=6, verbose=0))]
            )  # fmt: skip
            self.assertIsNot(model.optimizer, None)
        alone, together = found
        self.assertEqual(list(alone[0]), list(together[0]))
        for one, other in zip(alone, together):
            values = (each.values() if isinstance(each, dict) else each for each in (one, other))
            for first, second in zip(*values):
                self.assertAllClose(first, second, rtol=2e-5, atol=2e-6)

    def test_two_replicas_learn_as_those_of_tensorflow(self):
        for is_dataset in (False, True):
            K.clear_session()
            with self.two.scope():
                model = regression()
            if is_dataset:
                data = tf.data.Dataset.from_tensor_slices((ROWS, SUMS)).repeat().batch(16)
                found = model.fit(data, epochs=3, verbose=0, steps_per_epoch=4).history
            else:
                found = model.fit(
                    ROWS, SUMS, batch_size=16, epochs=3, shuffle=False, verbose=0,
                    validation_data=(ROWS[:32], SUMS[:32]),
                ).history  # fmt: skip
                self.assertAllClose(found["val_loss"], VALIDATED)
            self.assertAllClose(found["loss"], LOSSES)
            kernel, _, _, _, mean, variance, _, _ = model.get_weights()
            self.assertAllClose(kernel[:, 0], [KERNEL, 0.26430544, 0.25694144])
            self.assertAllClose(mean, 4 * [MEAN])
            self.assertAllClose(variance, 4 * [VARIANCE])

    def test_masks_and_layers_with_steps(self):
        words = np.random.RandomState(1).randint(0, 7, [40, 5])
        self.check_as_alone(sequences, words, (words.sum(1) % 2)[:, None])

    def test_several_inputs_and_outputs_with_losses_of_layers(self):
        others = np.random.RandomState(2).randn(64, 2).astype(np.float32)
        self.check_as_alone(two_outputs, [ROWS, others], [SUMS, others])

    def test_a_class_of_model_is_built_by_its_first_batch(self):
        self.check_as_alone(of_class, ROWS, SUMS)

    def test_weights_of_rows_and_classes(self):
        weights = np.linspace(0.0, 2.0, 64)
        self.check_as_alone(of_class, ROWS, SUMS, sample_weight=weights)

    def test_a_batch_with_fewer_rows_than_replicas(self):
        self.check_as_alone(of_class, ROWS[:13], SUMS[:13], batch_size=6)

    def test_averages_stay_finite_where_a_batch_has_fewer_rows_than_replicas(self):
        model = self.replicated(regression)
        model.fit(ROWS[:13], SUMS[:13], batch_size=6, epochs=2, verbose=0)
        for weight in model.get_weights():
            self.assertTrue(np.isfinite(weight).all())

    def test_what_is_frozen_keeps_its_averages(self):
        def with_frozen():
            part = tf.keras.Sequential([layers.BatchNormalization(input_shape=(3,))])
            part.trainable = False
            model = tf.keras.Sequential([part, layers.BatchNormalization(), dense(1)])
            model.compile("sgd", "mse")
            return model

        model = self.replicated(with_frozen)
        model.fit(ROWS + 5.0, SUMS, verbose=0)
        still, moved = model.layers[0].layers[0], model.layers[1]
        self.assertAllEqual(K.get_value(still.moving_mean), [0.0, 0.0, 0.0])
        self.assertAllGreater(np.abs(K.get_value(moved.moving_mean)), 0.0)

    def test_batches_are_trained_and_tested_one_by_one(self):
        model = self.replicated(of_class)
        alone = of_class()
        for _ in range(3):
            losses = [each.train_on_batch(ROWS[:8], SUMS[:8]) for each in (model, alone)]
            self.assertAllClose(*losses)
        self.assertAllClose(model.test_on_batch(ROWS, SUMS), alone.test_on_batch(ROWS, SUMS))
        self.assertAllClose(model.predict_on_batch(ROWS), alone.predict_on_batch(ROWS))

    def test_the_rows_are_on_the_devices_of_all_replicas(self):
        model = self.replicated(regression)
        model.fit(ROWS, SUMS, verbose=0)
        found = {op.device for op in tf.get_default_graph().get_operations() if op.type == "MatMul"}
        devices = {f"/device:CPU:{number}" for number in range(3)}
        self.assertEqual({each[each.index("/device:"):] for each in found}, devices)

    def test_files_of_weights_and_models(self):
        model = self.replicated(regression)
        model.fit(ROWS, SUMS, verbose=0)
        folder = self.create_tempdir().full_path
        model.save(f"{folder}/model.h5")
        expected = model.get_weights()
        again = tf.keras.models.load_model(f"{folder}/model.h5")
        model.fit(ROWS, SUMS, verbose=0)
        model.load_weights(f"{folder}/model.h5")
        for one, other in zip(expected, model.get_weights()):
            self.assertAllEqual(one, other)
        self.assertAllClose(model.predict(ROWS), again.predict(ROWS))

    def test_what_has_one_replica_is_refused(self):
        def stateful():
            recurrent = layers.LSTM(2, stateful=True, batch_input_shape=(6, 2, 3))
            model = tf.keras.Sequential([recurrent])
            model.compile("sgd", "mse")

        with self.assertRaisesRegex(NotImplementedError, "a stateful model has one replica"):
            self.replicated(stateful)


if __name__ == "__main__":
    tf.test.main()
