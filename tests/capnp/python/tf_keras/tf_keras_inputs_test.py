"""What layers and models of tf.keras are called with, and the dtypes that they have from it."""

import unittest

import numpy as np

import troupe as tf

keras = tf.keras
layers = keras.layers


class Doubled(layers.Layer):
    def call(self, inputs):
        return inputs * 2.0


class InputsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        keras.backend.clear_session()

    def value(self, tensor):
        return keras.backend.eval(tensor)

    def test_the_first_inputs_decide_on_the_dtype_of_the_weights(self):
        for dtype in ("float16", "float64"):
            layer = layers.Dense(2)
            self.assertIsNone(layer.dtype)
            self.assertEqual(layer(tf.zeros([1, 3], dtype)).dtype.name, dtype)
            self.assertEqual({each.dtype.base_dtype.name for each in layer.weights}, {dtype})
            self.assertEqual((layer.dtype, layer.get_config()["dtype"]), (dtype, dtype))
        self.assertEqual(layers.Dense(2, dtype=tf.float64).dtype, "float64")
        flat = layers.Flatten()
        flat(tf.zeros([2, 3], tf.int32))
        self.assertEqual(flat.dtype, "int32")
        embedding = layers.Embedding(3, 2)
        self.assertEqual(embedding(tf.constant([[1, 2]])).dtype, tf.float32)

    def test_layers_take_arrays_and_numbers(self):
        self.assertAllEqual(self.value(Doubled()(np.ones([2], np.float32))), [2, 2])
        self.assertAllEqual(self.value(Doubled()(3.0)), 6)
        self.assertEqual(layers.LSTM(3)(np.ones([2, 4, 5], np.float32)).shape.as_list(), [2, 3])
        self.assertEqual(keras.Sequential([layers.Dense(1)])(np.ones([4, 2])).dtype, tf.float64)

    def test_models_take_inputs_of_other_dtypes_than_theirs(self):
        model = keras.Sequential([layers.Dense(1, input_shape=(2,))])
        for dtype in (tf.float64, tf.int32):
            self.assertEqual(model(tf.ones([4, 2], dtype)).dtype, tf.float32)

    def test_arguments_that_any_layer_takes(self):
        layer = Doubled(activity_regularizer=keras.regularizers.l2(0.1), autocast=False)
        layer(tf.ones([2, 3]))
        self.assertAllClose(self.value(layer.losses[0]), 1.2)
        self.assertTrue(Doubled(dynamic=True).dynamic)
        with self.assertRaisesRegex(TypeError, "Keyword argument not understood"):
            Doubled(other=1)

    def test_steps_take_all_of_the_arrays(self):
        model = keras.Sequential([layers.Dense(1, input_shape=(2,))])
        model.compile("sgd", "mse")
        x, y = np.ones([10, 2]), np.ones([10, 1])
        model.fit(x, y, batch_size=5, steps_per_epoch=3, epochs=2, verbose=0)
        self.assertEqual(self.value(model.optimizer.iterations), 6)
        self.assertEqual(model.predict(x, batch_size=5, steps=1).shape, (10, 1))
        history = model.fit(x, y, steps_per_epoch=2, validation_data=(x, y), verbose=0).history
        self.assertAllClose(history["val_loss"], [model.evaluate(x, y, verbose=0)])

    def test_configurations_name_functions(self):
        class Named(layers.Layer):
            def get_config(self):
                return {"name": self.name, "function": len}

        self.assertIn('"function": "len"', keras.Sequential([Named(input_shape=(2,))]).to_json())

    def test_weights_of_bools_and_objects_that_are_tracked(self):
        class Once(layers.Layer):
            def build(self, input_shape):
                self.done = self.add_weight(
                    name="done", shape=(), initializer="zeros", dtype=tf.bool, trainable=False
                )
                self._track_trackable(tf.Variable(1.0), name="other")

            def call(self, inputs):
                return tf.where(self.done, inputs, -inputs)

        layer = Once()
        self.assertAllEqual(self.value(layer(tf.ones([]))), -1)
        path = tf.train.Checkpoint(layer=layer).save(
            f"{self.get_temp_dir()}/saved", keras.backend.get_session()
        )
        names = [name for name, _ in tf.train.list_variables(path)]
        self.assertIn("layer/other/.ATTRIBUTES/VARIABLE_VALUE", names)

    def test_a_module_may_be_told_what_it_is(self):
        class Fixed(tf.Module):
            shape = property(lambda self: self._shape)

        module = Fixed()
        module._shape = tf.constant([1, 2]).shape
        module.shape = module._shape
        with self.assertRaises(AttributeError):
            module.shape = 3


class SparseDense(tf.keras.layers.Dense):
    def call(self, inputs):
        assert isinstance(inputs, tf.SparseTensor), inputs
        return tf.sparse.sparse_dense_matmul(inputs, self.kernel)


class LaterTest(unittest.TestCase):
    """What a layer is given is used when TensorFlow uses it."""

    def setUp(self):
        tf.keras.backend.clear_session()
        self.addCleanup(tf.keras.backend.clear_session)

    def test_a_model_without_inputs_takes_sparse_tensors(self):
        model = tf.keras.Sequential(
            [SparseDense(2, kernel_initializer="ones"),
             tf.keras.layers.Dense(3, kernel_initializer="ones")]
        )  # fmt: skip
        rows = model(tf.SparseTensor([[0, 1], [1, 2]], [1.0, 2.0], [2, 4]))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run(rows).tolist(), [[2.0] * 3, [4.0] * 3])
        unknown = model(tf.SparseTensor([[0, 1]], [1.0], tf.placeholder(tf.int64, [2])))
        self.assertEqual(unknown.shape.as_list(), [None, 3])

    def test_losses_that_are_functions_are_called_once_they_are_asked_for(self):
        layer = tf.keras.layers.Dense(2, kernel_regularizer=tf.contrib.layers.l2_regularizer)
        model = tf.keras.Sequential([layer])
        model(tf.zeros([1, 3]))  # of a regularizer that makes functions
        with self.assertRaises(TypeError):
            list(model.losses)
        plain = tf.keras.layers.Dense(2, kernel_initializer="ones")
        plain.add_loss([lambda: tf.reduce_sum(plain.kernel), lambda: None])
        plain(tf.zeros([1, 3]))
        self.assertEqual((len(plain.losses), len(plain.get_losses_for(inputs=None))), (1, 1))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run(plain.losses), [6.0])


if __name__ == "__main__":
    unittest.main()
