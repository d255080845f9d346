"""Models of `tf.contrib.linear_optimizer` learn what is best, as TensorFlow's do."""

import unittest

import numpy as np

import troupe as tf
import troupe.sim

optimizer = tf.contrib.linear_optimizer
RANDOM = np.random.RandomState(0)
COUNT = 40
X = RANDOM.randn(COUNT, 3).astype(np.float32)
CATEGORIES = RANDOM.randint(5, size=COUNT)
IDS = [f"example {i}" for i in range(COUNT)]
CLASSES = (X[:, 0] + 0.5 * (CATEGORIES == 2) + 0.3 * RANDOM.randn(COUNT) > 0).astype(np.float32)
NUMBERS = (X @ [1.0, -2.0, 0.5] + 0.3 * CATEGORIES + 1.0).astype(np.float32)
WEIGHTS = (RANDOM.rand(COUNT) + 0.5).astype(np.float32)
COUNTS = np.floor(np.exp(X[:, 0])).astype(np.float32)
LABELS = {
    "logistic_loss": CLASSES,
    "hinge_loss": CLASSES,
    "smooth_hinge_loss": CLASSES,
    "squared_loss": NUMBERS,
    "poisson_loss": COUNTS,
}


def examples(loss_type, values=True):
    ones = np.ones(COUNT, np.float32) if values else None
    return {
        "sparse_features": [optimizer.SparseFeatureColumn(np.arange(COUNT), CATEGORIES, ones)],
        "dense_features": [tf.constant(X), tf.ones([COUNT, 1])],
        "example_labels": tf.constant(LABELS[loss_type]),
        "example_weights": tf.constant(WEIGHTS),
        "example_ids": tf.constant(IDS),
    }


def variables(parts=False, use_resource=False):
    def zeros(size):
        return tf.Variable(tf.zeros([size]), use_resource=use_resource)

    return {
        "sparse_features_weights": [[zeros(2), zeros(2), zeros(1)] if parts else zeros(5)],
        "dense_features_weights": [zeros(3), zeros(1)],
    }


def options(loss_type, **more):
    return {
        "symmetric_l1_regularization": 0.0,
        "symmetric_l2_regularization": 1.5,
        "loss_type": loss_type,
        **more,
    }


def gradient(loss_type, scores):
    """The derivatives of the losses by the scores."""
    labels = LABELS[loss_type]
    signs = 2 * labels - 1
    return {
        "logistic_loss": 1 / (1 + np.exp(-scores)) - labels,
        "smooth_hinge_loss": -signs * np.clip(1 - signs * scores, 0, 1),
        "squared_loss": scores - labels,
        "poisson_loss": np.exp(scores) - labels,
    }[loss_type]


class SdcaModelTest(tf.test.TestCase):
    def learned(self, loss_type, steps=120, l1=0.0, parts=False, use_resource=False, **more):
        """The values of what a model predicts, its losses, gap and weights after some steps."""
        with tf.Graph().as_default():
            batch = examples(loss_type, values=not parts)
            weights = variables(parts, use_resource)
            given = options(loss_type, symmetric_l1_regularization=l1, **more)
            model = optimizer.SdcaModel(batch, weights, given)
            step = model.update_weights(model.minimize())
            sparse = weights["sparse_features_weights"][0]
            fetches = {
                "predictions": model.predictions(batch),
                "loss": model.unregularized_loss(batch),
                "regularized": model.regularized_loss(batch),
                "gap": model.approximate_duality_gap(),
                "weights": [*weights["dense_features_weights"], tf.concat(sparse, 0)],
            }
            with self.session() as sess:
                sess.run(tf.global_variables_initializer())
                for _ in range(steps):
                    sess.run(step)
                return sess.run(fetches)

    def test_models_learn_what_is_best(self):
        for loss_type in ("logistic_loss", "smooth_hinge_loss", "squared_loss", "poisson_loss"):
            for adaptive in (False, True):
                with self.subTest(loss_type, adaptive=adaptive):
                    found = self.learned(loss_type, steps=250, adaptive=adaptive)
                    dense, bias, sparse = found["weights"]
                    scores = X @ dense + bias + sparse[CATEGORIES]
                    slopes = WEIGHTS * gradient(loss_type, scores)
                    self.assertAllClose(X.T @ slopes + 1.5 * dense, np.zeros(3), atol=2e-2)
                    self.assertAllClose(slopes.sum() + 1.5 * bias, np.zeros(1), atol=2e-2)
                    each = np.bincount(CATEGORIES, slopes, 5)
                    self.assertAllClose(each + 1.5 * sparse, np.zeros(5), atol=2e-2)
                    self.assertLess(abs(found["gap"]), 1e-3)

    def test_losses_are_those_of_tensorflow(self):
        # The least losses, which TensorFlow 1.15 finds, too. Earlier ones depend on the order in
        # which threads visit the examples.
        expected = {
            "logistic_loss": (0.4012199, 0.4567267),
            "squared_loss": (0.0093296, 0.1492812),
            "hinge_loss": (0.4592978, 0.4908167),
            "smooth_hinge_loss": (0.5084670, 0.5268359),
            "poisson_loss": (-0.4100564, -0.3649943),
        }
        for loss_type, (loss, regularized) in expected.items():
            with self.subTest(loss_type):
                found = self.learned(loss_type, steps=400, adaptive=False)
                self.assertAllClose(found["loss"], loss, rtol=2e-5)
                self.assertAllClose(found["regularized"], regularized, rtol=2e-6)

    def test_predictions_are_probabilities_rates_or_sums(self):
        links = {
            "logistic_loss": lambda x: 1 / (1 + np.exp(-x)),
            "poisson_loss": np.exp,
            "hinge_loss": lambda x: x,
        }
        for loss_type, link in links.items():
            found = self.learned(loss_type, steps=5)
            dense, bias, sparse = found["weights"]
            scores = X @ dense + bias + sparse[CATEGORIES]
            self.assertAllClose(found["predictions"], link(scores))

    def test_weights_and_states_may_be_in_parts(self):
        whole = self.learned("squared_loss")
        for use_resource in (False, True):
            parts = self.learned(
                "squared_loss", parts=True, num_table_shards=3, use_resource=use_resource
            )
            for one, other in zip(whole["weights"], parts["weights"]):
                self.assertAllClose(one, other, atol=1e-3)
            self.assertLess(abs(parts["gap"]), 1e-3)

    def test_l1_regularization_makes_weights_zero(self):
        found = self.learned("squared_loss", l1=4.0)
        dense, bias, sparse = found["weights"]
        self.assertGreater(np.count_nonzero(sparse == 0.0), 0)
        slopes = WEIGHTS * gradient("squared_loss", X @ dense + bias + sparse[CATEGORIES])
        each = np.bincount(CATEGORIES, slopes, 5) + 1.5 * sparse
        wanted = np.where(sparse == 0.0, each, -4.0 * np.sign(sparse))
        self.assertAllClose(each, wanted, atol=0.1)
        self.assertTrue((np.abs(each) <= 4.1).all())

    def test_the_gap_shrinks(self):
        # It is approximate: the losses are those before each step.
        gaps = [abs(self.learned("squared_loss", steps=steps)["gap"]) for steps in (1, 5, 60)]
        self.assertGreater(gaps[0], 1.0)
        self.assertLess(gaps[1], 0.5)
        self.assertLess(gaps[2], 1e-3)

    def test_the_gap_is_no_number_before_the_first_step(self):
        self.assertTrue(np.isnan(self.learned("squared_loss", steps=0)["gap"]))

    def test_more_partitions_learn_more_slowly(self):
        gaps = [
            self.learned("squared_loss", steps=3, num_loss_partitions=count)["gap"]
            for count in (1, 10)
        ]
        self.assertLess(gaps[0], gaps[1])

    def test_probabilities_are_adaptive_unless_an_option_says_otherwise(self):
        cases = (({}, True), ({"adaptive": False}, False), ({"adaptive": True}, True))
        for more, expected in cases:
            with self.subTest(more), tf.Graph().as_default() as graph:
                batch = examples("squared_loss")
                optimizer.SdcaModel(batch, variables(), options("squared_loss", **more)).minimize()
                ops = [op for op in graph.get_operations() if op.type == "SdcaOptimizerV2"]
                self.assertEqual([op.get_attr("adaptive") for op in ops], [expected])

    def test_a_step_is_counted(self):
        count = tf.train.get_or_create_global_step()
        batch = examples("squared_loss")
        model = optimizer.SdcaModel(batch, variables(), options("squared_loss"))
        step = model.minimize(global_step=count)
        with self.session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(step)
            sess.run(step)
            self.assertEqual(sess.run(count), 2)

    def test_workers_learn_together_from_what_parameter_servers_have(self):
        setter = tf.train.replica_device_setter(
            cluster={"ps": ["a:1", "b:1"], "worker": ["c:1", "d:1"]},
            worker_device="/job:worker/task:0",
        )
        with tf.device(setter):
            batch, weights = examples("squared_loss"), variables(parts=True)
            given = options("squared_loss", num_table_shards=2, num_loss_partitions=2)
            model = optimizer.SdcaModel(batch, weights, given)
            step = model.update_weights(model.minimize())
            gap, loss = model.approximate_duality_gap(), model.unregularized_loss(batch)
        with troupe.sim.Cluster({"ps": 2, "worker": 2}, seed=7) as cluster:
            sessions = [tf.Session(cluster.target("worker", task)) for task in (0, 1)]
            sessions[0].run(tf.global_variables_initializer())
            for count in range(60):
                sessions[count % 2].run(step)
            found = sessions[1].run([gap, loss])
            for session in sessions:
                session.close()
        self.assertAllClose(found, [0.0, 0.0093296], atol=1e-3)

    def test_savers_save_the_states_of_examples(self):
        batch = examples("squared_loss")
        model = optimizer.SdcaModel(batch, variables(), options("squared_loss"))
        step, gap = model.update_weights(model.minimize()), model.approximate_duality_gap()
        saver = tf.train.Saver()
        path = self.get_temp_dir() + "/model"
        with self.session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(step)
            saver.save(sess, path)
            before = sess.run(gap)
        with tf.Session() as sess:
            saver.restore(sess, path)
            self.assertAllClose(sess.run(gap), before)
        names = [name for name, _ in tf.train.list_variables(path)]
        self.assertIn("ShardedMutableHashTable-1-of-1-keys", names)
        self.assertIn("Variable_unshrinked/SDCAOptimizer", names)

    def test_what_is_missing_or_wrong_is_named(self):
        batch, weights = examples("squared_loss"), variables()
        cases = [
            ({**batch, "example_ids": None}, weights, options("squared_loss"), "example_ids must"),
            ({**batch, "dense_features": ()}, weights, options("squared_loss"), "must be a list"),
            (batch, weights, options("no_loss"), "no_loss"),
            (batch, weights, options("squared_loss", symmetric_l1_regularization=-1.0), "negative"),
            (batch, weights, {}, "must all be specified"),
        ]
        for *given, error in cases:
            with self.subTest(error), self.assertRaisesRegex(ValueError, error):
                optimizer.SdcaModel(*given)


if __name__ == "__main__":
    unittest.main()
