"""The backend of Keras: what the package `keras` of PyPI asks of TensorFlow.

Keras 2.2 and 2.3, which are made for TensorFlow 1, run on it as they are: their modules import
TensorFlow's names, and Keras 2.3 the functions of `tensorflow.python.keras.backend`. Keras itself,
its layers, models, optimizers and metrics, is not a part of this package; `tf.keras` is the
installed one.
"""
