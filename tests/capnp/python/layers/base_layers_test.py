"""What layers of a program have: variables, losses and updates by inputs, and copies."""

import copy

import numpy as np

import troupe as tf

ON_READ = tf.VariableSynchronization.ON_READ


class Counter(tf.layers.Layer):
    """Adds its inputs to a variable, and has them as a loss."""

    def build(self, input_shape):
        self.total = self.add_weight("total", (), trainable=False)
        self.add_update(self.total.assign_add(1.0))
        self.built = True

    def call(self, inputs):
        self.add_update(self.total.assign_add(inputs), inputs=True)
        self.add_loss(inputs, inputs=True)
        return inputs + 1.0


class BelongingsTest(tf.test.TestCase):
    def test_updates_and_losses_are_those_that_depend_on_the_inputs(self):
        layer = Counter()
        for calls in (1, 2):
            first = tf.placeholder(tf.float32, ())
            between = first * 2.0
            outputs = layer(between)
            with self.subTest(calls=calls):
                self.assertEqual(len(layer.updates), 1 + calls)
                self.assertEqual(len(layer.get_updates_for(None)), 1)
                for inputs, count in (([first], 1), (between, 1), ([outputs], 0)):
                    self.assertEqual(len(layer.get_updates_for(inputs)), count)
                    self.assertEqual(len(layer.get_losses_for(inputs)), count)
        self.assertEqual(layer.get_losses_for(between), [between])


class WeightsTest(tf.test.TestCase):
    def test_a_layer_of_layers_adds_their_weights_to_its_lists(self):
        layer, inner = tf.layers.Layer(name="outer"), tf.layers.BatchNormalization()
        inner.build([None, 2])
        layer._trainable_weights.extend(inner._trainable_weights)
        layer._non_trainable_weights.extend(inner._non_trainable_weights)
        self.assertEqual(layer.trainable_weights, [inner.gamma, inner.beta])
        moments = [inner.moving_mean, inner.moving_variance]
        self.assertEqual(layer.non_trainable_weights, moments)
        layer.trainable = False
        self.assertEqual(layer.trainable_weights, [])
        self.assertEqual(layer.non_trainable_weights, [inner.gamma, inner.beta, *moments])

    def test_what_is_synchronized_on_reads_is_not_trained(self):
        layer = tf.layers.Layer(name="own")
        weight = layer.add_weight(
            "w", [2], synchronization=ON_READ, aggregation=tf.VariableAggregation.SUM
        )
        self.assertEqual(layer.non_trainable_weights, [weight])
        self.assertEqual(weight.synchronization, ON_READ)
        self.assertEqual(weight.aggregation, tf.VariableAggregation.SUM)
        other = tf.get_variable("other", [2], synchronization=ON_READ)
        self.assertFalse(other.trainable)
        with self.assertRaisesRegex(ValueError, "ON_READ only for non-trainable variables"):
            layer.add_weight("v", [2], synchronization=ON_READ, trainable=True)
        trained = tf.get_variable("v", [2], synchronization=ON_READ, trainable=True)
        self.assertTrue(trained.trainable)

    def test_a_weight_may_be_a_variable_of_references(self):
        layer = tf.layers.Layer(name="own")
        self.assertEqual(layer.add_weight("w", [2], use_resource=False).op.type, "VariableV2")

    def test_each_part_of_a_weight_has_a_loss(self):
        partitioner = tf.fixed_size_partitioner(3)
        for reuse in (False, True):
            with tf.variable_scope("scope", partitioner=partitioner, reuse=reuse):
                layer = tf.layers.Layer(name="own")
                layer.add_weight(
                    "w", [4, 4], initializer=tf.ones_initializer(), regularizer=tf.reduce_sum
                )
        losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run(losses), [8, 4, 4])


class CopiesTest(tf.test.TestCase):
    def test_a_copy_has_the_variables_of_the_layer(self):
        layer = tf.layers.Dense(2, name="fc", kernel_regularizer=tf.reduce_sum)
        layer.notes = {"rate": [0.5]}
        x = tf.ones([1, 3])
        outputs = layer(x)
        copied = copy.deepcopy(layer)
        copied.notes["rate"].append(1.0)
        self.assertEqual((copied.name, copied.scope_name), (layer.name, layer.scope_name))
        self.assertIs(copied.kernel, layer.kernel)
        self.assertEqual(layer.notes, {"rate": [0.5]})
        again = copied(x)
        copied.add_loss(tf.constant(1.0))
        self.assertEqual((len(copied.losses), len(layer.losses)), (2, 1))
        self.assertEqual(len(tf.trainable_variables()), 2)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertAllEqual(*session.run([outputs, again]))

    def test_a_copy_of_a_layer_without_variables_makes_its_own(self):
        layer = tf.layers.Dense(2, kernel_initializer=tf.ones_initializer())
        outputs = copy.deepcopy(layer)(tf.ones([1, 3]))
        self.assertFalse(layer.built)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertAllEqual(session.run(outputs), np.full([1, 2], 3))


class ShapesTest(tf.test.TestCase):
    def test_a_dense_layer_needs_a_known_last_size(self):
        layer = tf.layers.Dense(2)
        self.assertEqual(layer.compute_output_shape([None, 4, 3]).as_list(), [None, 4, 2])
        for shape in (tf.TensorShape(None), [1], [3, None]):
            with self.assertRaises(ValueError):
                layer.compute_output_shape(shape)


if __name__ == "__main__":
    tf.test.main()
