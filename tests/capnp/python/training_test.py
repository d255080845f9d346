"""Gradients, optimizers, learning rates, moving averages."""

import unittest

import numpy as np

import troupe as tf

_PLACES = ("step", "branch", "steps", "loop")


class GradientsTest(tf.test.TestCase):
    def test_derivatives_are_with_respect_to_tensors_and_variables(self):
        x, v = tf.constant(3.0), tf.Variable(2.0)
        by_x, by_v = tf.gradients(x * x * v, [x, v])
        with tf.Session() as session:
            session.run(v.initializer)
            self.assertAllClose(session.run([by_x, by_v]), [12, 9])

    def test_an_op_without_a_gradient_is_a_lookup_error(self):
        image = tf.ones([1, 2, 2, 3])
        with self.assertRaisesRegex(LookupError, "op AdjustHue has no gradient") as caught:
            tf.gradients(tf.image.adjust_hue(image, 0.1), image)
        self.assertIsInstance(caught.exception, ValueError)

    def test_an_x_that_the_ys_do_not_depend_on_has_no_gradient(self):
        x, y = tf.constant(3.0), tf.constant(1.0)
        found = tf.gradients(x * 2.0, [x, y])
        self.assertIsNotNone(found[0])
        self.assertIsNone(found[1])

    def test_initial_gradients_of_the_ys_may_be_given(self):
        x = tf.constant([1.0, 2.0])
        (found,) = tf.gradients([x * 3.0], [x], grad_ys=[[1.0, 10.0]])
        with tf.Session() as session:
            self.assertAllClose(session.run(found), [3, 30])

    def test_stopped_gradients_go_no_further(self):
        x = tf.constant(3.0)
        (found,) = tf.gradients(x * tf.stop_gradient(x), [x])
        with tf.Session() as session:
            self.assertEqual(session.run(found), 3)

    def test_clipping_scales_down_what_is_too_large(self):
        with tf.Session() as session:
            (clipped,), norm = tf.clip_by_global_norm([tf.constant([3.0, 4.0])], 1.0)
            self.assertAllClose(session.run([clipped, norm])[0], [0.6, 0.8])
            self.assertAllClose(
                session.run(tf.clip_by_value([-2.0, 0.5, 2.0], -1, 1)), [-1, 0.5, 1]
            )
            self.assertAllClose(session.run(tf.clip_by_norm([3.0, 4.0], 10.0)), [3, 4])


class OptimizerTest(tf.test.TestCase):
    def trained(self, optimizer, steps=3, **options):
        w = tf.get_variable("w", initializer=[1.0, -2.0])
        step = optimizer.minimize(tf.reduce_sum(w * w), **options)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(steps):
                session.run(step)
            return session.run(w)

    def test_gradient_descent_follows_the_gradient(self):
        expected = np.array([1.0, -2.0]) * 0.8**3
        self.assertAllClose(self.trained(tf.train.GradientDescentOptimizer(0.1)), expected)

    def test_momentum_accumulates_gradients(self):
        w, a = np.array([1.0, -2.0]), np.zeros(2)
        for _ in range(3):
            a = 0.9 * a + 2 * w
            w = w - 0.1 * a
        self.assertAllClose(self.trained(tf.train.MomentumOptimizer(0.1, 0.9)), w, rtol=1e-5)

    def test_adam_moves_by_the_rate_at_first(self):
        self.assertAllClose(self.trained(tf.train.AdamOptimizer(0.1), steps=1), [0.9, -1.9], 1e-5)

    def test_adagrad_slows_down_where_gradients_were_large(self):
        w, a = np.array([1.0, -2.0]), np.full(2, 0.1)
        for _ in range(3):
            a = a + (2 * w) ** 2
            w = w - 0.5 * 2 * w / np.sqrt(a)
        self.assertAllClose(self.trained(tf.train.AdagradOptimizer(0.5)), w, rtol=1e-5)

    def test_rmsprop_divides_by_the_size_of_the_last_gradients(self):
        for centered in (False, True):
            w, s, m, a = np.array([1.0, -2.0]), np.ones(2), np.zeros(2), np.zeros(2)
            for _ in range(3):
                g = 2 * w
                s = 0.9 * s + 0.1 * g**2
                m = 0.9 * m + 0.1 * g
                variance = s - m**2 if centered else s
                a = 0.5 * a + 0.1 * g / np.sqrt(variance + 1e-10)
                w = w - a
            optimizer = tf.train.RMSPropOptimizer(0.1, momentum=0.5, centered=centered)
            self.assertAllClose(self.trained(optimizer), w, rtol=1e-5)
            tf.reset_default_graph()

    def test_adadelta_needs_no_rate(self):
        w, s, u = np.array([1.0, -2.0]), np.zeros(2), np.zeros(2)
        for _ in range(3):
            g = 2 * w
            s = 0.95 * s + 0.05 * g**2
            stride = np.sqrt(u + 1e-8) / np.sqrt(s + 1e-8) * g
            u = 0.95 * u + 0.05 * stride**2
            w = w - stride
        self.assertAllClose(self.trained(tf.train.AdadeltaOptimizer(1.0)), w, rtol=1e-5)

    def test_adagrad_da_counts_steps_from_one(self):
        w, total, squares = np.array([1.0, -2.0]), np.zeros(2), np.full(2, 0.1)
        for count in (1, 2, 3):
            total, squares = total + 2 * w, squares + (2 * w) ** 2
            shrunk = np.sign(total) * np.maximum(np.abs(total) - 0.2 * count, 0)
            w = -0.5 * shrunk / (0.3 * 0.5 * count + np.sqrt(squares))
        step = tf.train.get_or_create_global_step()
        optimizer = tf.train.AdagradDAOptimizer(
            0.5, step, l1_regularization_strength=0.2, l2_regularization_strength=0.3
        )
        self.assertAllClose(self.trained(optimizer, global_step=step), w, rtol=1e-5)

    def test_a_program_may_have_an_optimizer_of_its_own(self):
        class Signed(tf.train.Optimizer):
            def __init__(self):
                super().__init__(use_locking=False, name="Signed")

            def _create_slots(self, var_list):
                for var in var_list:
                    self._zeros_slot(var, "count", self._name)

            def _apply_dense(self, grad, var):
                counted = self.get_slot(var, "count").assign_add(tf.ones_like(grad))
                return var.assign_sub(tf.sign(grad) * counted)

        optimizer = Signed()
        self.assertAllClose(self.trained(optimizer, steps=2), [0.0, 1.0])
        self.assertEqual(optimizer.get_slot_names(), ["count"])
        self.assertEqual([v.name for v in optimizer.variables()], ["w/Signed:0"])

    def test_the_only_base_of_each_optimizer_is_the_public_one(self):
        named = {name: getattr(tf.train, name) for name in dir(tf.train)}
        derived = {name for name in named if name.endswith("Optimizer")} - {"Optimizer"}
        self.assertIn("ProximalAdagradOptimizer", derived)
        for name in derived:
            self.assertIs(named[name].__base__, tf.train.Optimizer, name)

    def test_a_program_may_override_methods_that_take_only_names(self):
        class Doubled(tf.train.GradientDescentOptimizer):
            def compute_gradients(self, loss, var_list=None, **kwargs):
                pairs = super().compute_gradients(loss, var_list=var_list, **kwargs)
                return [(2 * gradient, variable) for gradient, variable in pairs]

            def apply_gradients(self, grads_and_vars, **kwargs):
                return super().apply_gradients(grads_and_vars, **kwargs)

        v = tf.get_variable("v", initializer=3.0)
        step = Doubled(0.5).minimize(4 * v, var_list=[v])
        with tf.Session() as session:
            session.run(v.initializer)
            session.run(step)
            self.assertEqual(session.run(v), -1.0)

    def test_slots_are_found_by_their_names(self):
        w = tf.get_variable("w", [2])
        optimizer = tf.train.AdamOptimizer()
        optimizer.minimize(tf.reduce_sum(w * w))
        self.assertEqual(optimizer.get_slot_names(), ["m", "v"])
        self.assertEqual(optimizer.get_slot(w, "v").name, "w/Adam_1:0")
        names = {v.name for v in optimizer.variables()}
        self.assertEqual(names, {"w/Adam:0", "w/Adam_1:0", "beta1_power:0", "beta2_power:0"})
        self.assertEqual(names | {"w:0"}, {v.name for v in tf.global_variables()})

    def test_updates_may_be_in_branches_and_loops(self):
        rate, opt = 0.1, tf.contrib.opt
        for optimizer in (
            tf.train.GradientDescentOptimizer(rate), tf.train.MomentumOptimizer(rate, 0.9),
            tf.train.AdamOptimizer(rate), tf.train.FtrlOptimizer(rate), opt.AddSignOptimizer(rate),
        ):  # fmt: skip
            found = {place: self._train_in(place, optimizer) for place in _PLACES}
            self.assertAllClose(found["branch"], found["step"])
            self.assertAllClose(found["loop"], found["steps"])
            self.assertNotAllClose(found["steps"], found["step"])

    def _train_in(self, place, optimizer):
        """What two variables are after one step or two."""
        with tf.Graph().as_default(), tf.Session() as session:
            dense, rows = tf.Variable([1.0, 2.0]), tf.Variable([[1.0], [2.0]])

            def train():
                used = tf.nn.embedding_lookup(rows, [1, 1])
                return optimizer.minimize(tf.reduce_sum(dense**2) + tf.reduce_sum(used**2))

            def train_and_count(count):
                with tf.control_dependencies([train()]):
                    return count + 1

            if place == "branch":
                trained = tf.cond(dense[0] > 0, lambda: tf.group(train()), tf.no_op)
            elif place == "loop":
                trained = tf.while_loop(lambda count: count < 2, train_and_count, [0])
            else:
                trained = train()
            session.run(tf.global_variables_initializer())
            for _ in range(2 if place == "steps" else 1):
                session.run(trained)
            return np.concatenate([session.run(dense), session.run(rows)[:, 0]])

    def test_updates_run_after_the_control_dependencies_of_the_scope(self):
        for optimizer in (tf.train.GradientDescentOptimizer(0.1), tf.train.AdagradOptimizer(0.1)):
            w = tf.Variable(1.0)
            with tf.control_dependencies([w.assign(11.0)]):
                step = optimizer.minimize(w * 1.0, var_list=[w])
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                session.run(step)
                self.assertLess(10.5, session.run(w))
                self.assertLess(session.run(w), 11)

    def test_a_constraint_holds_after_each_update(self):
        limit = tf.get_variable("limit", initializer=[1.0], constraint=tf.nn.relu)
        step = tf.train.GradientDescentOptimizer(5.0).minimize(tf.reduce_sum(limit))
        with tf.Session() as session:
            session.run(limit.initializer)
            session.run(step)
            self.assertEqual(session.run(limit), [0])

    def test_the_gradients_of_replicas_in_one_graph_are_averaged_and_applied_once(self):
        rows = np.arange(8.0, dtype=np.float32).reshape(4, 2)
        w = tf.get_variable("w", initializer=[[1.0], [2.0]])
        optimizer = tf.train.MomentumOptimizer(0.01, 0.9)
        losses = [tf.reduce_mean(tf.square(tf.matmul(part, w))) for part in (rows[:2], rows[2:])]
        parts = zip(*[optimizer.compute_gradients(loss) for loss in losses])
        means = [((one[0] + other[0]) / 2.0, one[1]) for one, other in parts]
        step = optimizer.apply_gradients(means)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(step)
            expected = [[1.0], [2.0]] - 0.01 * 2 * rows.T @ (rows @ [[1.0], [2.0]]) / 4
            self.assertAllClose(session.run(w), expected, rtol=1e-5)

    def test_a_rate_may_be_a_tensor_that_follows_the_global_step(self):
        step = tf.train.get_or_create_global_step()
        rate = tf.train.exponential_decay(0.1, step, decay_steps=1, decay_rate=0.5)
        optimizer = tf.train.GradientDescentOptimizer(rate)
        expected = np.array([1.0, -2.0]) * 0.8 * 0.9
        self.assertAllClose(self.trained(optimizer, 2, global_step=step), expected, rtol=1e-5)

    def test_the_global_step_counts_steps(self):
        step = tf.train.get_or_create_global_step()
        self.assertIs(tf.train.get_or_create_global_step(), step)
        w = tf.Variable(1.0)
        train = tf.train.GradientDescentOptimizer(0.1).minimize(w * w, global_step=step)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run([train])
            session.run(train)
            self.assertEqual(tf.train.global_step(session, step), 2)

    def test_gradients_may_be_changed_before_they_are_applied(self):
        w = tf.Variable(1.0)
        optimizer = tf.train.GradientDescentOptimizer(1.0)
        pairs = optimizer.compute_gradients(w * w, [w])
        step = optimizer.apply_gradients([(g * 0.25, v) for g, v in pairs])
        with tf.Session() as session:
            session.run(w.initializer)
            session.run(step)
            self.assertEqual(session.run(w), 0.5)

    def test_slots_are_variables_on_the_devices_of_the_trained_variables(self):
        with tf.device("/job:ps/task:1"):
            w = tf.get_variable("w", [2])
        tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(w * w))
        names = {v.name: v.device for v in tf.global_variables()}
        self.assertEqual(names, {"w:0": "/job:ps/task:1", "w/Momentum:0": "/job:ps/task:1"})
        self.assertEqual(tf.trainable_variables(), [w])

    def test_a_loss_that_depends_on_no_variable_is_refused(self):
        tf.Variable(1.0)
        with self.assertRaisesRegex(ValueError, "No gradients provided"):
            tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0))


class ScheduleTest(tf.test.TestCase):
    def rates(self, schedule, *arguments, steps=(0, 5, 10, 25), **options):
        x = tf.placeholder(tf.int64, [])
        first = [x] if schedule is tf.train.piecewise_constant else [1.0, x]
        rate = schedule(*first, *arguments, **options)
        with tf.Session() as session:
            return [session.run(rate, {x: step}) for step in steps]

    def test_rates_fall_as_their_names_say(self):
        train = tf.train
        cases = [
            (self.rates(train.exponential_decay, 10, 0.5), [1, 0.5**0.5, 0.5, 0.5**2.5]),
            (self.rates(train.exponential_decay, 10, 0.5, True), [1, 1, 0.5, 0.25]),
            (self.rates(train.natural_exp_decay, 10, 0.5), np.exp([0, -0.25, -0.5, -1.25])),
            (self.rates(train.inverse_time_decay, 10, 0.5), [1, 1 / 1.25, 1 / 1.5, 1 / 2.25]),
            (self.rates(train.polynomial_decay, 10, 0.0), [1, 0.5, 0, 0]),
            (self.rates(train.polynomial_decay, 10, 0.0, 2.0), [1, 0.25, 0, 0]),
            (self.rates(train.polynomial_decay, 10, 0.0, cycle=True), [1, 0.5, 0, 5 / 30]),
            (self.rates(train.piecewise_constant, [5, 10], [3.0, 2.0, 1.0]), [3, 3, 2, 1]),
        ]
        for found, expected in cases:
            self.assertAllClose(found, np.array(expected), rtol=1e-5)


class MovingAverageTest(tf.test.TestCase):
    def test_shadows_move_towards_their_variables(self):
        w = tf.Variable(1.0, name="w")
        average = tf.train.ExponentialMovingAverage(0.9)
        with tf.control_dependencies([w.assign(2.0)]):
            move = average.apply([w])
        shadow = average.average(w)
        self.assertEqual(shadow.name, "w/ExponentialMovingAverage:0")
        self.assertEqual(average.average_name(w), "w/ExponentialMovingAverage")
        self.assertEqual(average.variables_to_restore()[average.average_name(w)], w)
        self.assertEqual(tf.moving_average_variables(), [w])
        self.assertEqual(tf.trainable_variables(), [w])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for expected in (1.1, 1.19):
                session.run(move)
                self.assertAllClose(session.run(shadow), expected)

    def test_the_decay_is_smaller_while_there_are_few_updates(self):
        w, step = tf.Variable(1.0), tf.Variable(0)
        average = tf.train.ExponentialMovingAverage(0.9, num_updates=step)
        move = average.apply([w])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(w.assign(2.0))
            session.run(move)
            self.assertAllClose(session.run(average.average(w)), 1.9)


if __name__ == "__main__":
    unittest.main()
