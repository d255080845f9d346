"""Models, layers and optimizers of Keras in checkpoints of objects."""

import os
import tempfile
import unittest

import numpy as np

import troupe as tf


class KerasCheckpointsTest(unittest.TestCase):
    def setUp(self):
        self.addCleanup(tf.keras.backend.clear_session)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "ckpt")

    def model(self):
        layers = tf.keras.layers
        model = tf.keras.Sequential(
            [
                layers.Dense(4, activation="relu", input_shape=(3,)),
                layers.Dropout(0.1),
                layers.BatchNormalization(),
                layers.Dense(1),
            ]
        )
        model.compile("adam", "mse")
        return model

    def data(self):
        points = np.random.RandomState(1).randn(64, 3).astype("f")
        return points, points.sum(1)

    def test_a_model_goes_on_where_it_was_saved_with_its_optimizer(self):
        points, targets = self.data()
        model = self.model()
        model.fit(points, targets, epochs=2, verbose=0, shuffle=False)
        checkpoint = tf.train.Checkpoint(model=model)
        path = checkpoint.save(self.path, tf.keras.backend.get_session())
        wanted, state = model.predict(points), model.optimizer.get_weights()
        names = {name for name, _ in tf.train.list_variables(path)}
        value = ".ATTRIBUTES/VARIABLE_VALUE"
        self.assertLessEqual(
            {
                f"model/layer_with_weights-0/kernel/{value}",
                f"model/layer_with_weights-1/moving_mean/{value}",
                f"model/layer_with_weights-2/bias/{value}",
                f"model/optimizer/iter/{value}",
                f"model/optimizer/beta_1/{value}",
            },
            names,
        )

        tf.keras.backend.clear_session()
        again = self.model()
        again._make_train_function()  # which makes the weights of the optimizer
        status = tf.train.Checkpoint(model=again).restore(path)
        status.assert_consumed().run_restore_ops(tf.keras.backend.get_session())
        np.testing.assert_array_equal(again.predict(points), wanted)
        for one, other in zip(again.optimizer.get_weights(), state):
            np.testing.assert_array_equal(one, other)

    def test_layers_of_a_program_s_own_model_are_saved_under_its_attributes(self):
        class Net(tf.keras.Model):
            def __init__(self):
                super().__init__()
                self.cells = [tf.keras.layers.Dense(2), tf.keras.layers.Dense(2)]
                self.last = tf.keras.layers.LSTM(2)

            def call(self, x):
                x = self.cells[1](self.cells[0](x))
                return self.last(tf.expand_dims(x, 1))

            def compute_output_shape(self, shape):
                return shape[0], 2

        net = Net()
        found = net(tf.ones([1, 3]))
        session = tf.keras.backend.get_session()
        path = tf.train.Checkpoint(net=net).save(self.path, session)
        wanted = session.run(found)
        names = [name for name, _ in tf.train.list_variables(path)]
        weight = "cell/recurrent_kernel/.ATTRIBUTES/VARIABLE_VALUE"
        self.assertTrue(any(name.endswith(weight) for name in names), names)

        with tf.Graph().as_default(), tf.Session() as session:
            other = Net()
            result = other(tf.ones([1, 3]))
            status = tf.train.Checkpoint(net=other).restore(path).assert_consumed()
            status.initialize_or_restore(session)
            np.testing.assert_array_equal(session.run(result), wanted)


if __name__ == "__main__":
    unittest.main()
