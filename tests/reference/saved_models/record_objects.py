"""Writes SavedModels of objects with TensorFlow 1.15, beside this file.

    python record_objects.py

`module` is a `tf.Module` with functions, `subclass` a model of Keras with a function `call`.
"""

import pathlib
import shutil
import sys

import numpy as np
import tensorflow as tf

HERE = pathlib.Path(__file__).parent


class Module(tf.Module):
    def __init__(self):
        super().__init__()
        self.v = tf.Variable(10.0, name="v", use_resource=True)
        self.parts = [tf.Variable([1.0, 2.0], use_resource=True)]
        self.offset = tf.constant([5.0, 6.0])
        self.named = {"count": tf.Variable(1, use_resource=True, trainable=False)}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def scale(self, x):
        return {"o": self.v * x + tf.reduce_sum(self.parts[0])}

    @tf.function
    def flip(self, x, factor=2.0, flag=False):
        return x * factor * self.v, [x if flag else -x]

    @tf.function(
        input_signature=[
            tf.TensorSpec([], tf.float32, "first"),
            tf.TensorSpec([None, 2], tf.float32),
        ]
    )
    def two(self, a, b):
        return a * b + self.offset


class Subclass(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(
            2, activation="tanh", kernel_regularizer=tf.keras.regularizers.l2(0.1)
        )
        self.dropout = tf.keras.layers.Dropout(0.5)

    def call(self, x, training=None):
        return self.dropout(self.dense(x), training=training)


def write(name, save):
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        save(session, str(folder))


def module(session, folder):
    made = Module()
    made.flip(tf.zeros([2]))
    made.flip(tf.zeros([3]), factor=tf.constant(1.0), flag=True)
    session.run(tf.compat.v1.global_variables_initializer())
    tf.saved_model.save(made, folder, signatures={"serving_default": made.scale, "two": made.two})


def subclass(session, folder):
    tf.keras.backend.set_session(session)
    model = Subclass()
    model.compile("sgd", "mse")
    model.fit(np.ones((2, 3)), np.ones((2, 2)), verbose=0)
    model.set_weights([np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]), np.array([0.1, -0.1])])
    model.save(folder, save_format="tf")


if __name__ == "__main__":
    write("module", module)
    write("subclass", subclass)
    sys.stdout.write("module, subclass\n")
