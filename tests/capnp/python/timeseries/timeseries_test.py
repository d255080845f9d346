"""Estimators of time series: numbers that TensorFlow 1.15 gives, readers, exports, errors."""

import tempfile
import unittest
import zlib

import numpy as np

import troupe as tf
from troupe.contrib import timeseries as ts

TIMES, VALUES = ts.TrainEvalFeatures.TIMES, ts.TrainEvalFeatures.VALUES


class LoadedWeights(tf.train.SessionRunHook):
    """Begins a training with weights that follow from the names of variables."""

    def begin(self):
        variables = tf.trainable_variables()
        variables += [v for v in tf.global_variables() if "prior_state_mean" in v.name]
        self._loads = []
        for variable in {each.name: each for each in variables}.values():
            fed = tf.placeholder(variable.dtype.base_dtype, variable.shape)
            self._loads.append((variable, fed, tf.assign(variable, fed)))

    def after_create_session(self, session, coord):
        for variable, fed, load in self._loads:
            random = np.random.RandomState(zlib.crc32(variable.name.encode()) & 0xFFFF)
            session.run(load, {fed: random.randn(*variable.shape.as_list()) * 0.2})


def series(size=60, n_features=1):
    times = np.arange(size)
    noise = np.random.RandomState(0).randn(size, n_features) * 0.1
    waves = np.sin(times * 0.5)[:, None] * (1 + np.arange(n_features))
    return {TIMES: times, VALUES: (waves + times[:, None] * 0.05 + noise + 3).astype(np.float32)}


def windows(data, size):
    rows = np.stack([np.arange(start, start + size) for start in (0, 7, 14, 21)])
    return lambda: ({key: tf.constant(value[rows]) for key, value in data.items()}, None)


def whole(data):
    return lambda: ({key: tf.constant(value)[None] for key, value in data.items()}, None)


def config():
    return tf.estimator.RunConfig(model_dir=tempfile.mkdtemp(), tf_random_seed=3)


class EstimatorsTest(unittest.TestCase):
    def trained(self, estimator, size, data=None):
        """The evaluation of a short training, and the prediction of seven times after it."""
        data = data or series()
        estimator.train(windows(data, size), steps=4, hooks=[LoadedWeights()])
        evaluation = estimator.evaluate(whole(data), steps=1)
        inputs = ts.predict_continuation_input_fn(evaluation, steps=7)
        (prediction,) = estimator.predict(inputs)
        self.assertEqual(list(range(60, 67)), prediction[TIMES].tolist())
        return evaluation, prediction

    def check(self, found, loss, mean, covariance):
        evaluation, prediction = found
        np.testing.assert_allclose(evaluation["loss"], loss, rtol=2e-4)
        np.testing.assert_allclose(prediction["mean"].ravel()[:3], mean, rtol=2e-4)
        np.testing.assert_allclose(prediction["covariance"].ravel()[:3], covariance, rtol=2e-4)

    def test_an_autoregressive_model_gives_the_numbers_of_tensorflow(self):
        estimator = ts.ARRegressor(10, 5, 3, 1, config=config())
        found = self.trained(estimator, 8)
        mean = [3.580979108810425, 2.968153953552246, 2.3761391639709473]
        covariance = [0.16227063536643982, 0.9711836576461792, 0.3127851188182831]
        self.check(found, 3.4063966, mean, covariance)
        names = estimator.get_variable_names()
        self.assertIn("model/flat_prediction_model/predicted_mean/kernel/Adagrad", names)

    def test_a_mixture_with_anomalies_does(self):
        estimator = ts.ARRegressor(
            10, 7, 3, 1, anomaly_prior_probability=0.1, anomaly_distribution="gaussian",
            config=config(),
        )  # fmt: skip
        mean = [3.9515066146850586, 1.960474967956543, 2.321876049041748]
        covariance = [0.2554503083229065, 1.7768176794052124, 0.2037467360496521]
        self.check(self.trained(estimator, 10), 2.0936654, mean, covariance)

    def test_a_structural_ensemble_does(self):
        estimator = ts.StructuralEnsembleRegressor(
            12, 1, cycle_num_latent_values=5, config=config()
        )
        mean = [5.688458492777962, 6.1669624778516425, 6.714132687386056]
        covariance = [1.3141600477423758, 1.593075487575159, 2.04446078992932]
        self.check(self.trained(estimator, 12), 1.3764045, mean, covariance)
        self.assertIn("cycle0/feature0/prior_state_mean", estimator.get_variable_names())

    def test_an_ensemble_whose_states_disregard_anomalies_does(self):
        estimator = ts.StructuralEnsembleRegressor(
            10, 1, cycle_num_latent_values=3, anomaly_prior_probability=0.05, config=config()
        )
        mean = [5.797436411828087, 5.950922442940323, 6.128968205523264]
        covariance = [1.3086584816690268, 1.5989140451456099, 2.1426677928370212]
        self.check(self.trained(estimator, 12), 1.7234343, mean, covariance)

    def test_an_exported_model_goes_on_from_its_own_state(self):
        estimator = ts.StructuralEnsembleRegressor(
            12, 2, cycle_num_latent_values=3, config=config()
        )
        data = series(n_features=2)
        evaluation, prediction = self.trained(estimator, 12, data)
        receiver_fn = estimator.build_raw_serving_input_receiver_fn()
        folder = estimator.export_saved_model(tempfile.mkdtemp(), receiver_fn)
        utils = ts.saved_model_utils
        with tf.Graph().as_default(), tf.Session() as session:
            loaded = tf.saved_model.loader.load(session, ["serve"], folder)
            given = {"signatures": loaded, "session": session}
            after = utils.predict_continuation(evaluation, steps=7, **given)
            np.testing.assert_allclose(after["mean"][0], prediction["mean"], rtol=1e-5)
            half = {key: value[:30] for key, value in data.items()}
            rest = {key: value[30:] for key, value in data.items()}
            state = utils.cold_start_filter(features=half, **given)
            state = utils.filter_continuation(state, features=rest, **given)
            once = utils.cold_start_filter(features=data, **given)
            for key, value in once.items():
                np.testing.assert_allclose(value[:, -1:] if key == TIMES else value,
                                           state[key][:, -1:] if key == TIMES else state[key],
                                           rtol=1e-5, atol=1e-8)  # fmt: skip

    def test_memory_cells_are_exported_without_a_state(self):
        from troupe._src.series_estimators.estimators import LSTMAutoRegressor

        estimator = LSTMAutoRegressor(10, 6, 4, num_units=8, config=config())
        data = series()
        estimator.train(windows(data, 10), steps=3)
        receiver_fn = estimator.build_one_shot_parsing_serving_input_receiver_fn(10, 4)
        folder = estimator.export_saved_model(tempfile.mkdtemp(), receiver_fn)
        example = tf.train.Example()
        example.features.feature[TIMES].int64_list.value.extend(range(14))
        example.features.feature[VALUES].float_list.value.extend(data[VALUES][:10, 0].tolist())
        predict = tf.contrib.predictor.from_saved_model(folder)
        found = predict({"examples": [example.SerializeToString()]})
        self.assertEqual((1, 4, 1), found["mean"].shape)


class InputsTest(unittest.TestCase):
    def run_once(self, features):
        with tf.train.MonitoredSession() as session:
            return session.run(features)

    def csv(self, data):
        path = tempfile.mkstemp(suffix=".csv")[1]
        with open(path, "w") as file:
            file.write("times,values\n")
            for time, value in zip(data[TIMES], data[VALUES][:, 0]):
                file.write(f"{time},{float(value)!r}\n")
        return path

    def test_readers_give_the_whole_series(self):
        data = series(20)
        for make in (
            lambda: ts.NumpyReader(data),
            lambda: ts.CSVReader(self.csv(data), skip_header_lines=1),
        ):
            with tf.Graph().as_default():
                found = self.run_once(ts.WholeDatasetInputFn(make())()[0])
            np.testing.assert_array_equal(data[TIMES][None], found[TIMES])
            np.testing.assert_allclose(data[VALUES][None], found[VALUES])

    def test_random_windows_are_consecutive(self):
        data = series(20)
        with tf.Graph().as_default():
            reader = ts.CSVReader(self.csv(data), skip_header_lines=1)
            features = ts.RandomWindowInputFn(reader, window_size=5, batch_size=4)()[0]
            self.assertEqual([4, 5, 1], features[VALUES].shape.as_list())
            with tf.train.MonitoredSession() as session:
                starts = set()
                for _ in range(20):
                    found = session.run(features)
                    self.assertTrue((np.diff(found[TIMES], axis=1) == 1).all())
                    np.testing.assert_allclose(found[VALUES], data[VALUES][found[TIMES]])
                    starts.update(found[TIMES][:, 0].tolist())
        self.assertGreater(len({start % 5 for start in starts}), 1)

    def test_what_does_not_fit_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "required features"):
            ts.NumpyReader({TIMES: [1]})
        with self.assertRaisesRegex(ValueError, "shapes prefixed"):
            ts.NumpyReader({TIMES: [1, 2], VALUES: [1]})
        with self.assertRaisesRegex(ValueError, "required column"):
            ts.CSVReader("x", column_names=("times",))
        with self.assertRaisesRegex(ValueError, "only 2 records"):
            reader = ts.NumpyReader({TIMES: [1, 2], VALUES: [1, 2]})
            ts.RandomWindowInputFn(reader, window_size=3, batch_size=1)
        with self.assertRaisesRegex(ValueError, "anomaly_prior_probability is required"):
            ts.ARRegressor(10, 3, 2, 1, anomaly_distribution="gaussian")
        with self.assertRaisesRegex(ValueError, "must be specified"):
            ts.predict_continuation_input_fn({TIMES: np.array([[3]])})
        with self.assertRaisesRegex(ValueError, "must be after"):
            ts.predict_continuation_input_fn({TIMES: np.array([[3]])}, times=[1])
        with self.assertRaisesRegex(ValueError, "set window_size=8"):
            estimator = ts.ARRegressor(10, 5, 3, 1, config=config())
            estimator.train(windows(series(), 7), steps=1)


if __name__ == "__main__":
    unittest.main()
