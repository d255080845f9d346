"""The numbers of optimizers, by the attributes that classes derived from them read."""

import unittest

import troupe as tf

_SETTINGS = [
    (tf.train.AdamOptimizer(0.5, 0.8), {"_lr": 0.5, "_beta1": 0.8, "_beta2": 0.999}),
    (tf.train.GradientDescentOptimizer(0.5), {"_learning_rate": 0.5}),
    (tf.train.MomentumOptimizer(0.5, 0.9, use_nesterov=True),
     {"_learning_rate": 0.5, "_momentum": 0.9, "_use_nesterov": True}),
    (tf.train.RMSPropOptimizer(0.5), {"_learning_rate": 0.5, "_decay": 0.9, "_momentum": 0.0}),
    (tf.train.AdagradOptimizer(0.5), {"_learning_rate": 0.5, "_initial_accumulator_value": 0.1}),
    (tf.train.AdadeltaOptimizer(0.5), {"_lr": 0.5, "_rho": 0.95, "_epsilon": 1e-8}),
    (tf.train.FtrlOptimizer(0.5), {"_learning_rate": 0.5, "_l1_regularization_strength": 0.0}),
]  # fmt: skip


class OptimizerSettingsTest(tf.test.TestCase):
    def test_they_have_the_names_of_tensorflow(self):
        for optimizer, settings in _SETTINGS:
            found = {name: getattr(optimizer, name) for name in settings}
            self.assertEqual(found, settings, optimizer)
            self.assertFalse(hasattr(optimizer, "_lr") and hasattr(optimizer, "_learning_rate"))

    def test_one_that_is_set_is_used_in_the_update(self):
        optimizer, variable = tf.train.GradientDescentOptimizer(1.0), tf.Variable(2.0)
        optimizer._learning_rate = 0.25
        update = optimizer.apply_gradients([(tf.constant(4.0), variable)])
        with self.session() as session:
            session.run(variable.initializer)
            session.run(update)
            self.assertEqual(session.run(variable), 1.0)

    def test_a_derived_class_computes_with_them(self):
        class Halved(tf.train.MomentumOptimizer):
            def _resource_apply_dense(self, grad, var):
                return tf.assign_sub(var, self._learning_rate * grad / 2)

        variable = tf.Variable(2.0)
        update = Halved(0.5, 0.9).apply_gradients([(tf.constant(4.0), variable)])
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(update)
            self.assertEqual(session.run(variable), 1.0)


if __name__ == "__main__":
    unittest.main()
