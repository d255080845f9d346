"""Models of one layer, as functions of estimators use them."""

import unittest

import numpy as np

import troupe as tf

learn = tf.contrib.learn
X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], np.float32)


class SimpleModelsTest(tf.test.TestCase):
    def test_a_linear_regression_is_fitted(self):
        y = X @ np.array([2.0, -1.0], np.float32) + 1.0

        def model_fn(features, labels):
            predictions, loss = learn.models.linear_regression(features, labels)
            step = tf.train.get_global_step()
            return predictions, loss, tf.contrib.layers.optimize_loss(loss, step, 0.3, "SGD")

        model = learn.Estimator(model_fn)
        model.fit(X, y, steps=200)
        self.assertAllClose(list(model.predict(X)), y, atol=0.02)
        names = model.get_variable_names()
        self.assertLessEqual({"linear_regression/weights", "linear_regression/bias"}, set(names))

    def test_a_logistic_regression_has_probabilities(self):
        x, y = tf.constant(X), tf.constant([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
        probabilities, loss = learn.models.logistic_regression(x, y, init_mean=0.0)
        self.assertEqual(probabilities.shape.as_list(), [3, 2])
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            found, value = session.run([probabilities, loss])
        self.assertAllClose(np.sum(found, 1), np.ones(3))
        self.assertAllClose(value, -np.mean(np.log(np.sum(found * [[1, 0], [0, 1], [0, 1]], 1))))

    def test_classes_can_have_weights(self):
        x, y = tf.constant(X), tf.constant([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
        weights, biases = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([0.5, -0.5])
        classify = learn.ops.softmax_classifier
        plain, _ = classify(x, y, weights, biases)
        weighted, _ = classify(x, y, weights, biases, class_weight=tf.constant([0.0, 2.0]))
        logits = X @ [[1.0, 2.0], [3.0, 4.0]] + [0.5, -0.5]
        found, other = self.evaluate([plain, weighted])
        self.assertAllClose(found[:, 1], 1 / (1 + np.exp(logits[:, 0] - logits[:, 1])))
        self.assertAllClose(other[:, 1], 1 / (1 + np.exp(-2 * logits[:, 1])))


if __name__ == "__main__":
    unittest.main()
