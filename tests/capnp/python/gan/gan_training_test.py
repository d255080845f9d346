"""Trainings of `tf.contrib.gan`."""

import os
import tempfile
import unittest

import numpy as np

import troupe as tf

gan = tf.contrib.gan

_MEAN = np.float32([3.0, -2.0])


def _toy_model(batch=64):
    """Points around a mean, and a generator that shifts noise."""
    tf.set_random_seed(1)
    real = _MEAN + 0.5 * tf.random_normal([batch, 2], seed=2)
    noise = 0.5 * tf.random_normal([batch, 2], seed=3)

    def generator(inputs):
        return inputs + tf.get_variable("shift", [2], initializer=tf.zeros_initializer())

    def discriminator(data, _):
        hidden = tf.layers.dense(data, 16, tf.nn.leaky_relu, name="hidden")
        return tf.layers.dense(hidden, 1, name="logits")

    return gan.gan_model(generator, discriminator, real, noise)


def _counting_model():
    """Its losses are the variables themselves, so that these count how often they are trained."""

    def network(*_):
        return tf.get_variable("count", [], initializer=tf.zeros_initializer())

    model = gan.gan_model(network, network, tf.constant(0.0), tf.constant(0.0))
    loss = gan.GANLoss(-model.generator_variables[0], -model.discriminator_variables[0])
    return model, loss


class TrainingTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        tf.reset_default_graph()

    def counts(self, get_hooks_fn, steps=3):
        """How often the networks are trained, and the sessions' own steps."""
        model, loss = _counting_model()
        optimizer = tf.train.GradientDescentOptimizer(1.0)
        ops = gan.gan_train_ops(model, loss, optimizer, optimizer)
        saved = []

        class Last(tf.train.SessionRunHook):
            def end(self, session):
                saved.extend(
                    session.run([model.generator_variables[0], model.discriminator_variables[0]])
                )

        hooks = [tf.train.StopAtStepHook(num_steps=steps), Last()]
        last = gan.gan_train(
            ops, None, get_hooks_fn, hooks=hooks, save_checkpoint_secs=None,
            save_summaries_steps=None,
        )  # fmt: skip
        self.assertEqual(last, steps)
        return saved

    def test_networks_are_trained_as_often_as_steps_say(self):
        for make in (gan.get_sequential_train_hooks, gan.get_joint_train_hooks):
            for of_generator, of_discriminator in ((1, 1), (3, 1), (1, 2), (0, 2)):
                tf.reset_default_graph()
                hooks = make(gan.GANTrainSteps(of_generator, of_discriminator))
                self.assertEqual(self.counts(hooks), [3 * of_generator, 3 * of_discriminator])

    def test_joint_hooks_train_both_networks_in_one_step(self):
        ops = gan.GANTrainOps("generator", "discriminator", "counted", ["more"])
        steps = gan.GANTrainSteps(3, 5)

        class Session:
            def __init__(self):
                self.runs = []

            def run(self, fetches):
                self.runs.append(fetches)

        found = {}
        for make in (gan.get_sequential_train_hooks, gan.get_joint_train_hooks):
            hooks = make(steps)(ops)
            self.assertEqual(hooks[-1], "more")
            session = Session()
            for hook in hooks[:-1]:
                hook.before_run(tf.train.SessionRunContext(None, session))
            found[make] = session.runs
        self.assertEqual(
            found[gan.get_sequential_train_hooks], [["generator"]] * 3 + [["discriminator"]] * 5
        )
        self.assertEqual(
            found[gan.get_joint_train_hooks],
            [["generator", "discriminator"]] * 3 + [["discriminator"]] * 2,
        )

    def check_mean(self, **options):
        """Trains, and finds the shift of the generator near the mean of the real data."""
        model = _toy_model()
        loss = gan.gan_loss(model, **options)
        ops = gan.gan_train_ops(
            model, loss, tf.train.AdamOptimizer(0.02, 0.5), tf.train.AdamOptimizer(0.02, 0.5)
        )
        with tempfile.TemporaryDirectory() as folder:
            gan.gan_train(
                ops, folder, gan.get_sequential_train_hooks(gan.GANTrainSteps(1, 2)),
                hooks=[tf.train.StopAtStepHook(num_steps=400)],
            )  # fmt: skip
            shift = tf.train.load_variable(folder, "Generator/shift")
            self.assertEqual(tf.train.load_variable(folder, "global_step"), 400)
            self.assertTrue(any("tfevents" in name for name in os.listdir(folder)))
        self.assertAllClose(shift, _MEAN, atol=0.5)

    def test_a_wasserstein_gan_finds_the_mean_of_points(self):
        self.check_mean(gradient_penalty_weight=1.0)

    def test_a_gan_of_cross_entropies_finds_the_mean_of_points_also_with_a_pool(self):
        self.check_mean(
            generator_loss_fn=gan.losses.modified_generator_loss,
            discriminator_loss_fn=gan.losses.modified_discriminator_loss,
            tensor_pool_fn=lambda values: gan.features.tensor_pool(values, pool_size=10),
        )

    def test_each_network_runs_the_updates_of_its_scope(self):
        updates = {}

        def network(*_):
            value = tf.get_variable("value", [], initializer=tf.zeros_initializer())
            count = tf.get_variable("updates", [], trainable=False,
                                    initializer=tf.zeros_initializer())  # fmt: skip
            scope = tf.get_variable_scope().name
            if scope not in updates:
                updates[scope] = count
                tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, count.assign_add(1.0).op)
            return value

        model = gan.gan_model(network, network, tf.constant(0.0), tf.constant(0.0))
        loss = gan.GANLoss(model.generator_variables[0] + 0, model.discriminator_variables[0] + 0)
        optimizer = tf.train.GradientDescentOptimizer(1.0)
        ops = gan.gan_train_ops(model, loss, optimizer, optimizer)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                session.run(ops.generator_train_op)
            session.run(ops.discriminator_train_op)
            self.assertEqual(session.run(updates), {"Generator": 3.0, "Discriminator": 1.0})

    def test_updates_of_neither_network_are_refused_unless_allowed(self):
        model, loss = _counting_model()
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.no_op(name="elsewhere"))
        optimizer = tf.train.GradientDescentOptimizer(1.0)
        with self.assertRaisesRegex(ValueError, "unused update ops.*elsewhere"):
            gan.gan_train_ops(model, loss, optimizer, optimizer)
        gan.gan_train_ops(model, loss, optimizer, optimizer, check_for_unused_update_ops=False)
        ops = gan.gan_train_ops(model, loss, optimizer, optimizer, update_ops=[])
        self.assertEqual(ops.train_hooks, [])

    def test_both_models_of_a_cyclegan_are_trained(self):
        def generator(inputs):
            return inputs + tf.get_variable("shift", [2], initializer=tf.zeros_initializer())

        def discriminator(data, _):
            return tf.layers.dense(data, 1, name="dense")

        zeros, ones = tf.zeros([4, 2]), tf.ones([4, 2])
        model = gan.cyclegan_model(generator, discriminator, zeros, ones)
        loss = gan.cyclegan_loss(model)
        ops = gan.gan_train_ops(
            model, loss, tf.train.GradientDescentOptimizer(0.1),
            tf.train.GradientDescentOptimizer(0.1), summarize_gradients=True,
        )  # fmt: skip
        self.assertEqual([len(ops.generator_train_op), len(ops.discriminator_train_op)], [2, 2])
        variables = tf.trainable_variables()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            before = session.run(variables)
            for _ in range(2):
                session.run([ops.generator_train_op, ops.discriminator_train_op])
            session.run(ops.global_step_inc_op)
            after, step = session.run([variables, tf.train.get_global_step()])
        self.assertEqual(step, 1)
        for variable, one, other in zip(variables, before, after):
            self.assertNotAllClose(one, other, msg=variable.op.name)

    def test_replicas_count_updates_by_steps_of_their_own(self):
        model, loss = _counting_model()
        optimizers = [
            tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(1.0), 1)
            for _ in range(2)
        ]
        ops = gan.gan_train_ops(model, loss, *optimizers)
        self.assertEqual(len(ops.train_hooks), 2)
        steps = [each for each in tf.global_variables() if "dummy_global_step" in each.op.name]
        self.assertEqual(
            [each.op.name for each in steps],
            ["dummy_global_step_generator", "dummy_global_step_discriminator"],
        )
        hooks = gan.get_sequential_train_hooks()(ops)
        # The threads of the replicas wait for gradients when the session ends.
        with tf.train.MonitoredSession(hooks=hooks, stop_grace_period_secs=1) as session:
            for count in range(1, 4):
                self.assertEqual(session.run(ops.global_step_inc_op), count)
            variables = tf.trainable_variables()
            trained = session.run_step_fn(
                lambda step_context: step_context.session.run(variables)
            )
        # An update begins when all gradients are there, and nobody waits for the last one.
        for value in trained:
            self.assertIn(value, (2.0, 3.0))

    def test_slim_trains_both_networks_and_asks_once_whether_to_stop(self):
        model, loss = _counting_model()
        optimizer = tf.train.GradientDescentOptimizer(1.0)
        ops = gan.gan_train_ops(model, loss, optimizer, optimizer)
        step = gan.get_sequential_train_steps(gan.GANTrainSteps(2, 3))
        asked = tf.Variable(0, trainable=False)
        options = {"should_stop": tf.greater_equal(asked.assign_add(1), 2)}
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            results = [step(session, ops, tf.train.get_global_step(), options) for _ in range(2)]
            self.assertEqual(session.run(tf.trainable_variables()), [4.0, 6.0])
            self.assertEqual(session.run(tf.train.get_global_step()), 2)
        self.assertEqual([bool(stop) for _, stop in results], [False, True])
        self.assertEqual(sorted(options), ["should_stop"])
        self.assertAllClose(results[0][0], -(0 + 1) - (0 + 1 + 2))


if __name__ == "__main__":
    unittest.main()
