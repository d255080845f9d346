"""A model of Keras whose weights are on a parameter server, each task a process."""

import unittest

import numpy as np
from nodes import Nodes

import troupe as tf


class KerasClusterTest(unittest.TestCase):
    def setUp(self):
        self.nodes = Nodes(ps=1, worker=2)
        self.addCleanup(self.nodes.close)
        self.addCleanup(tf.keras.backend.clear_session)
        np.random.seed(7)
        self.points = np.random.randn(1000, 8).astype("f")
        self.classes = self.points[:, :3].argmax(1)

    def model(self):
        """A classifier with its weights on the server, and its layers on the session's task."""
        with tf.device(tf.train.replica_device_setter(cluster=self.nodes.cluster)):
            layers = tf.keras.layers
            model = tf.keras.Sequential(
                [
                    layers.Dense(32, activation="relu", input_shape=(8,)),
                    layers.Dense(3, activation="softmax"),
                ]
            )
            model.compile(
                tf.keras.optimizers.Adam(0.01), "sparse_categorical_crossentropy", ["accuracy"]
            )
        return model

    def fit(self, model, epochs):
        return model.fit(self.points, self.classes, epochs=epochs, verbose=0).history["loss"]

    def test_the_weights_outlive_the_session_that_trained_them(self):
        with tf.Session(self.nodes.target("worker", 0)) as session:
            tf.keras.backend.set_session(session)
            model = self.model()
            losses = self.fit(model, 5)
            self.assertLess(losses[-1], losses[0] / 2)
        with tf.Session(self.nodes.target("worker", 1)) as session:
            tf.keras.backend.set_session(session)
            held = {each.name for each in tf.Session.list_resources(self.nodes.target("ps"))}
            self.assertTrue({weight.op.name for weight in model.weights} <= held)
            loss, accuracy = model.evaluate(self.points, self.classes, verbose=0)
            self.assertLess(loss, losses[0] / 2)
            self.assertGreater(accuracy, 0.8)

    def test_a_lost_parameter_server_ends_the_training_with_an_error_that_names_it(self):
        with tf.Session(self.nodes.target("worker", 0)) as session:
            tf.keras.backend.set_session(session)
            model = self.model()
            self.fit(model, 1)
            self.nodes.kill("ps", 0)
            with self.assertRaisesRegex(tf.errors.OpError, "/job:ps/task:0"):
                self.fit(model, 1)


if __name__ == "__main__":
    unittest.main()
