"""Recurrent layers of `tf.keras`: masks, times in front, and sequences that are read both ways."""

import unittest

import numpy as np

import troupe as tf

layers = tf.keras.layers
X = np.random.RandomState(0).randn(2, 5, 3).astype(np.float32)
X[0, 3:] = 0
X[1, :2] = 0
KEPT = np.any(X != 0, axis=-1)


class LayerCase(unittest.TestCase):
    def setUp(self):
        tf.keras.backend.clear_session()
        self.addCleanup(tf.keras.backend.clear_session)

    def values(self, layer, x, weights=None, calls=1):
        """What a layer gives, behind one that masks zeros; with such weights, or drawn ones."""
        given = tf.keras.Input(batch_shape=x.shape)
        results = layer(layers.Masking()(given))
        model = tf.keras.Model(given, results)
        random = np.random.RandomState(1)
        shapes = [weight.shape for weight in layer.get_weights()]
        layer.set_weights(weights or [random.randn(*shape) / 2 for shape in shapes])
        flat = results if isinstance(results, list) else [results]
        function = tf.keras.backend.function([given], flat, updates=model.state_updates)
        found = [function([x]) for _ in range(calls)]
        computed = layer.compute_output_shape(x.shape)
        for shape, value in zip(computed if isinstance(results, list) else [computed], found[0]):
            self.assertEqual(tuple(shape), value.shape)
        return found if calls > 1 else found[0]


class TimeMajorTest(LayerCase):
    def check(self, make, calls=1, **options):
        expected = self.values(make(**options), X, calls=calls)
        layer = make(time_major=True, **options)
        found = self.values(layer, X.swapaxes(0, 1), calls=calls)
        for mine, other in zip(np.ravel(found) if calls > 1 else found, expected):
            if options.get("return_sequences") and mine.ndim == 3:
                other = other.swapaxes(0, 1)
            np.testing.assert_allclose(mine, other, rtol=1e-5, atol=1e-6)

    def test_the_values_are_those_with_the_batch_in_front(self):
        def make_cells(**options):
            return layers.RNN([layers.LSTMCell(4), layers.GRUCell(3)], **options)

        def make_lstm(**options):
            return layers.LSTM(4, **options)

        self.check(make_lstm)
        self.check(make_lstm, return_sequences=True, return_state=True)
        self.check(make_lstm, return_sequences=True, unroll=True)
        self.check(make_cells, return_sequences=True, go_backwards=True)

    def test_states_last_from_batch_to_batch(self):
        layer = layers.GRU(4, time_major=True, stateful=True)
        first, second = self.values(layer, X.swapaxes(0, 1), calls=2)
        same = layers.GRU(4, stateful=True)
        expected = self.values(same, X, layer.get_weights(), calls=2)
        np.testing.assert_allclose([first, second], expected, rtol=1e-5)
        self.assertGreater(np.abs(first[0] - second[0]).max(), 0.01)
        layer.reset_states()
        self.assertEqual(layer.states[0].shape.as_list(), [2, 4])

    def test_it_is_part_of_what_makes_the_layer_again(self):
        config = layers.SimpleRNN(2, time_major=True).get_config()
        self.assertTrue(layers.SimpleRNN.from_config(config).time_major)
        self.assertFalse(layers.SimpleRNN(2).get_config()["time_major"])


class MasksTest(LayerCase):
    def test_results_of_what_is_left_out_may_be_zeros(self):
        layer = layers.LSTM(4, return_sequences=True, zero_output_for_mask=True)
        (found,) = self.values(layer, X)
        (expected,) = self.values(layers.LSTM(4, return_sequences=True), X, layer.get_weights())
        np.testing.assert_allclose(found, expected * KEPT[..., np.newaxis], rtol=1e-5)
        self.assertTrue(np.any(expected[~KEPT]))
        self.assertTrue(layer.get_config()["zero_output_for_mask"])


class BidirectionalTest(LayerCase):
    def test_what_is_left_out_gives_zeros_both_ways(self):
        (found,) = self.values(layers.Bidirectional(layers.LSTM(4, return_sequences=True)), X)
        np.testing.assert_array_equal(np.any(found != 0, axis=-1), KEPT)
        of_tensorflow = [0.06677669, -0.07951219, 0.28296348, -0.02028891, 0.13522872]
        np.testing.assert_allclose(found[0, 0, :5], of_tensorflow, rtol=1e-5)

    def test_the_time_may_be_in_front(self):
        wrapped = layers.Bidirectional(layers.LSTM(4, return_sequences=True, time_major=True))
        (found,) = self.values(wrapped, X.swapaxes(0, 1))
        same = layers.Bidirectional(layers.LSTM(4, return_sequences=True))
        (expected,) = self.values(same, X, wrapped.get_weights())
        np.testing.assert_allclose(found.swapaxes(0, 1), expected, rtol=1e-5)

    def test_two_of_one_layer_have_weights_of_their_own(self):
        layer = layers.GRU(2)
        both = [layers.Bidirectional(layer) for _ in range(2)]
        for each in both:
            each(tf.keras.Input((3, 2)))
        weights = {id(weight) for each in both for weight in each.weights}
        self.assertEqual((len(weights), layer.built), (12, False))

    def test_the_other_layer_may_be_another(self):
        other = layers.GRU(3, return_sequences=True, go_backwards=True, name="other")
        wrapped = layers.Bidirectional(
            layers.LSTM(4, return_sequences=True, name="one"), backward_layer=other
        )
        (expected,) = self.values(wrapped, X)
        self.assertEqual(expected.shape, (2, 5, 7))
        self.assertEqual(layers.Dense(1)(wrapped.output).shape.as_list(), [2, 5, 1])
        config = wrapped.get_config()
        self.assertEqual(config["backward_layer"]["config"]["name"], "other")
        again = layers.Bidirectional.from_config(config)
        self.assertEqual(again.backward_layer.name, "backward_other")
        np.testing.assert_allclose(self.values(again, X, wrapped.get_weights())[0], expected)

    def test_layers_that_do_not_fit(self):
        def wrapped(**options):
            return layers.Bidirectional(layers.LSTM(4), backward_layer=layers.GRU(3, **options))

        with self.assertRaisesRegex(ValueError, "different `go_backwards`"):
            wrapped()
        with self.assertRaisesRegex(ValueError, "attribute return_sequences, got False and True"):
            wrapped(go_backwards=True, return_sequences=True)
        with self.assertRaisesRegex(ValueError, "`backward_layer` need to be"):
            layers.Bidirectional(layers.LSTM(4), backward_layer=3)
        with self.assertRaisesRegex(ValueError, "with a `Layer` instance"):
            layers.Bidirectional(3)


if __name__ == "__main__":
    unittest.main()
