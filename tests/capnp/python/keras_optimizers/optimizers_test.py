"""The optimizers of `tf.keras`: their updates, against NumPy, and their variables."""

import unittest

import numpy as np

import troupe as tf

optimizers = tf.keras.optimizers
START = np.array([[1.0, -2.0], [3.0, 0.5], [-1.0, 2.0]])
STEPS = 4


def gradient(value):
    """That of the sum of squares of all rows, the first one twice and the second one not at all."""
    return 2 * value * np.array([[2.0], [0.0], [1.0]])


def trained(optimizer, sparse):
    """A variable after some steps of the loss whose gradient that is."""
    value = tf.get_variable("value", initializer=START)
    if sparse:
        loss = lambda: tf.reduce_sum(tf.gather(value, [0, 2, 0]) ** 2)  # noqa: E731
    else:
        loss = lambda: tf.reduce_sum(value**2 * [[2.0], [0.0], [1.0]])  # noqa: E731
    step = optimizer.minimize(loss, [value])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(STEPS):
            session.run(step)
        return session.run([value, optimizer.iterations])


def momentum(decay, nesterov):
    value, velocity = START.copy(), 0.0
    for _ in range(STEPS):
        g = gradient(value)
        velocity = decay * velocity - 0.1 * g
        value = value + (decay * velocity - 0.1 * g if nesterov else velocity)
    return value


def rmsprop(rho=0.9, decay=0.0, centered=False):
    value, square, mean, velocity = START.copy(), 0.0, 0.0, 0.0
    for _ in range(STEPS):
        g = gradient(value)
        square, mean = rho * square + (1 - rho) * g * g, rho * mean + (1 - rho) * g
        variance = square - mean * mean if centered else square
        step = 0.1 * g / (np.sqrt(variance + 1e-7) if decay else np.sqrt(variance) + 1e-7)
        velocity = decay * velocity + step
        value = value - (velocity if decay else step)
    return value


def adam(amsgrad=False, rate=lambda step: 0.1, beta_2=0.999):
    value, mean, square, top = START.copy(), 0.0, 0.0, 0.0
    for step in range(1, STEPS + 1):
        g = gradient(value)
        mean, square = 0.9 * mean + 0.1 * g, beta_2 * square + (1 - beta_2) * g * g
        top = np.maximum(top, square) if amsgrad else square
        correction = np.sqrt(1 - beta_2**step) / (1 - 0.9**step)
        value = value - rate(step - 1) * correction * mean / (np.sqrt(top) + 1e-7)
    return value


def adamax():
    value, mean, top = START.copy(), 0.0, 0.0
    for step in range(1, STEPS + 1):
        g = gradient(value)
        mean, top = 0.9 * mean + 0.1 * g, np.maximum(0.999 * top, abs(g))
        value = value - 0.1 / (1 - 0.9**step) * mean / (top + 1e-7)
    return value


def nadam():
    value, mean, square, product = START.copy(), 0.0, 0.0, 1.0
    momenta = [0.9 * (1 - 0.5 * 0.96 ** (0.004 * step)) for step in range(1, STEPS + 2)]
    for step in range(1, STEPS + 1):
        g, now, ahead = gradient(value), momenta[step - 1], momenta[step]
        product *= now
        mean, square = 0.9 * mean + 0.1 * g, 0.999 * square + 0.001 * g * g
        both = (1 - now) * g / (1 - product) + ahead * mean / (1 - product * ahead)
        value = value - 0.1 * both / (np.sqrt(square / (1 - 0.999**step)) + 1e-7)
    return value


def adagrad():
    value, square = START.copy(), 0.1
    for _ in range(STEPS):
        g = gradient(value)
        square = square + g * g
        value = value - 0.1 * g / (np.sqrt(square) + 1e-7)
    return value


def adadelta():
    value, square, moved = START.copy(), 0.0, 0.0
    for _ in range(STEPS):
        g = gradient(value)
        square = 0.95 * square + 0.05 * g * g
        step = np.sqrt(moved + 1e-7) / np.sqrt(square + 1e-7) * g
        moved = 0.95 * moved + 0.05 * step * step
        value = value - 0.1 * step
    return value


def ftrl(l1=0.0, l2=0.0, shrinkage=0.0):
    value, square, linear = START.copy(), 0.1 + 0 * START, 0.0
    for _ in range(STEPS):
        g = gradient(value)
        shrunk = g + 2 * shrinkage * value
        sigma = (np.sqrt(square + g * g) - np.sqrt(square)) / 0.1
        square, linear = square + g * g, linear + shrunk - sigma * value
        divisor = np.sqrt(square) / 0.1 + 2 * l2
        value = np.where(abs(linear) > l1, (np.sign(linear) * l1 - linear) / divisor, 0)
    return value


# What an optimizer is, what NumPy computes, and whether rows without a gradient stay.
CASES = {
    "SGD": (lambda: optimizers.SGD(0.1), lambda: momentum(0.0, False)),
    "momentum": (lambda: optimizers.SGD(0.1, 0.9), lambda: momentum(0.9, False)),
    "Nesterov": (lambda: optimizers.SGD(0.1, 0.9, nesterov=True), lambda: momentum(0.9, True)),
    "RMSprop": (lambda: optimizers.RMSprop(0.1), rmsprop),
    "RMSprop, momentum": (
        lambda: optimizers.RMSprop(0.1, momentum=0.5), lambda: rmsprop(decay=0.5),
    ),
    "RMSprop, centered": (
        lambda: optimizers.RMSprop(0.1, centered=True), lambda: rmsprop(centered=True),
    ),
    "RMSprop, both": (
        lambda: optimizers.RMSprop(0.1, momentum=0.5, centered=True),
        lambda: rmsprop(decay=0.5, centered=True),
    ),
    "Adam": (lambda: optimizers.Adam(0.1), adam),
    "Adam, amsgrad": (
        lambda: optimizers.Adam(0.1, beta_2=0.5, amsgrad=True), lambda: adam(True, beta_2=0.5),
    ),
    "Adam, decay": (
        lambda: optimizers.Adam(0.1, decay=0.5), lambda: adam(rate=lambda n: 0.1 / (1 + 0.5 * n)),
    ),
    "Adam, schedule": (
        lambda: optimizers.Adam(optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)),
        lambda: adam(rate=lambda n: 0.1 * 0.5 ** (n / 2)),
    ),
    "Adam, function": (lambda: optimizers.Adam(lambda: 0.1), adam),
    "Adam, tensor": (lambda: optimizers.Adam(tf.constant(0.1, tf.float64)), adam),
    "Adamax": (lambda: optimizers.Adamax(0.1), adamax),
    "Nadam": (lambda: optimizers.Nadam(0.1), nadam),
    "Adagrad": (lambda: optimizers.Adagrad(0.1), adagrad),
    "Adadelta": (lambda: optimizers.Adadelta(0.1), adadelta),
    "Ftrl": (lambda: optimizers.Ftrl(0.1), ftrl),
    "Ftrl, penalties": (
        lambda: optimizers.Ftrl(
            0.1, l1_regularization_strength=0.2, l2_regularization_strength=0.3
        ),
        lambda: ftrl(0.2, 0.3),
    ),
    "Ftrl, shrinkage": (
        lambda: optimizers.Ftrl(0.1, l2_shrinkage_regularization_strength=0.1),
        lambda: ftrl(shrinkage=0.1),
    ),
}  # fmt: skip


class UpdatesTest(tf.test.TestCase):
    def test_they_are_those_of_the_formulas(self):
        for name, (make, wanted) in CASES.items():
            for sparse in (False, True):
                with self.subTest(name, sparse=sparse):
                    tf.reset_default_graph()
                    value, steps = trained(make(), sparse)
                    expected = wanted()
                    if sparse and name.startswith("Ftrl"):  # which changes rows without a gradient
                        value, expected = value[[0, 2]], expected[[0, 2]]
                    # Their numbers are float32, as in TensorFlow.
                    self.assertAllClose(value, expected, 1e-5, 1e-5)
                    self.assertEqual(steps, STEPS)

    def test_gradients_are_clipped(self):
        value = tf.get_variable("value", initializer=[3.0, 4.0])
        for options, step in (({"clipnorm": 1.0}, [0.6, 0.8]), ({"clipvalue": 3.5}, [3.0, 3.5])):
            optimizer = optimizers.SGD(1.0, **options)
            pairs = optimizer._compute_gradients(lambda: tf.reduce_sum(value**2) / 2, [value])
            (through_loss,) = optimizer.get_gradients(tf.reduce_sum(value**2) / 2, [value])
            with self.session() as session:
                session.run(value.initializer)
                found = session.run([pairs[0][0], through_loss])
            self.assertAllClose(found, [step, step])

    def test_constraints_hold_after_an_update(self):
        value = tf.get_variable(
            "value", initializer=[1.0, 2.0], constraint=lambda x: tf.clip_by_value(x, 0.5, 9.0)
        )
        step = optimizers.SGD(1.0).minimize(lambda: tf.reduce_sum(value), [value])
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(step)
            self.assertAllEqual(session.run(value), [0.5, 1.0])
        rows = optimizers.SGD(1.0)
        with self.assertRaisesRegex(RuntimeError, "constraint function on a sparse"):
            rows.minimize(lambda: tf.reduce_sum(tf.gather(value, [0])), [value])

    def test_wrong_arguments_are_errors(self):
        value = tf.get_variable("value", initializer=1.0)
        count = tf.get_variable("count", initializer=1)
        sgd = optimizers.SGD()
        for failing, error, text in (
            (lambda: optimizers.SGD(decay=-1.0), ValueError, "Expected decay >= 0"),
            (lambda: optimizers.SGD(speed=1.0), TypeError, "Unexpected keyword"),
            (lambda: optimizers.SGD(momentum=2.0), ValueError, "between"),
            (lambda: optimizers.Adagrad(initial_accumulator_value=-1.0), ValueError, "non-neg"),
            (lambda: optimizers.Ftrl(learning_rate_power=1.0), ValueError, "negative or zero"),
            (lambda: optimizers.Ftrl(l1_regularization_strength=-1.0), ValueError, "positive or"),
            (
                lambda: optimizers.Nadam(optimizers.schedules.InverseTimeDecay(1.0, 1, 1.0)),
                ValueError, "does not support",
            ),
            (lambda: sgd.apply_gradients([(None, value)]), ValueError, "No gradients provided"),
            (lambda: sgd.apply_gradients([(1, count)]), ValueError, "Invalid type int32"),
            (
                lambda: sgd.apply_gradients([(1.0, tf.constant(1.0))]), NotImplementedError,
                "update a Tensor",
            ),
            (lambda: sgd.get_gradients(tf.constant(1.0), [value]), ValueError, "has `None`"),
            (lambda: sgd.no_such_number, AttributeError, "no attribute 'no_such_number'"),
        ):  # fmt: skip
            with self.assertRaisesRegex(error, text):
                failing()


class VariablesTest(tf.test.TestCase):
    def test_they_have_the_names_of_tensorflow(self):
        with tf.variable_scope("layer"):
            value = tf.get_variable("kernel", initializer=[1.0])
        optimizer = optimizers.Adam(0.5)
        optimizer.minimize(lambda: tf.reduce_sum(value), [value])
        self.assertEqual(
            [each.name for each in optimizer.weights],
            ["Adam/iter:0", "Adam/layer/kernel/m:0", "Adam/layer/kernel/v:0"],
        )
        self.assertEqual(optimizer.variables(), optimizer.weights)
        self.assertEqual(optimizer.learning_rate.name, "Adam/learning_rate:0")
        self.assertEqual(optimizer.get_slot_names(), ["m", "v"])
        self.assertEqual(optimizer.get_slot(value, "m").name, "Adam/layer/kernel/m:0")
        self.assertEqual(tf.trainable_variables(), [value])

    def test_numbers_are_set_before_and_after_they_are_variables(self):
        value = tf.get_variable("value", initializer=[1.0])
        optimizer = optimizers.SGD(lr=0.5)
        optimizer.lr = 0.25
        step = optimizer.minimize(lambda: tf.reduce_sum(value), [value])
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(step)
            self.assertAllClose(session.run(value), [0.75])
            optimizer.learning_rate = 0.5
            session.run(step)
            self.assertAllClose(session.run(value), [0.25])
            self.assertAllClose(session.run(optimizer.lr), 0.5)
            self.assertAllClose(optimizer.get_config()["learning_rate"], 0.5)

    def test_weights_are_read_and_set(self):
        value = tf.get_variable("value", initializer=[1.0, 2.0])
        optimizer = optimizers.SGD(0.5, momentum=0.5)
        step = optimizer.minimize(lambda: tf.reduce_sum(value), [value])
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(step)
            steps, slot = optimizer.get_weights()
            self.assertEqual(steps, 1)
            self.assertAllClose(slot, [-0.5, -0.5])
            optimizer.set_weights([7, [3.0, 4.0]])
            self.assertEqual(session.run(optimizer.iterations), 7)
            self.assertAllClose(session.run(optimizer.get_slot(value, "momentum")), [3, 4])
            with self.assertRaisesRegex(ValueError, "expecting 2 weights"):
                optimizer.set_weights([1, 2, 3])
            with self.assertRaisesRegex(ValueError, "not compatible"):
                optimizer.set_weights([1, [1.0]])

    def test_the_count_of_steps_may_be_a_variable_of_the_program(self):
        steps, value = tf.train.create_global_step(), tf.get_variable("value", initializer=1.0)
        optimizer = optimizers.SGD()
        optimizer.iterations = steps
        step = optimizer.minimize(lambda: value * 1.0, [value])
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(step)
            self.assertEqual(session.run(steps), 1)
        with self.assertRaisesRegex(RuntimeError, "Cannot set `iterations`"):
            optimizer.iterations = steps

    def test_checkpoints_of_objects_have_them(self):
        path = self.get_temp_dir() + "/saved"
        for is_saved in (True, False):
            tf.reset_default_graph()
            value = tf.get_variable("value", initializer=[1.0 if is_saved else 8.0])
            optimizer = optimizers.Adam(0.5 if is_saved else 0.25)
            step = optimizer.minimize(lambda value=value: tf.reduce_sum(value), [value])
            checkpoint = tf.train.Checkpoint(optimizer=optimizer, value=value)
            with tf.Session() as session, session.as_default():
                session.run(tf.global_variables_initializer())
                if is_saved:
                    session.run(step)
                    path = checkpoint.save(path)
                    keys = [name for name, _ in tf.train.list_variables(path)]
                else:
                    checkpoint.restore(path).assert_consumed().run_restore_ops()
                rates = session.run([optimizer.lr, optimizer.iterations])
                slots = session.run([optimizer.get_slot(value, name) for name in ("m", "v")])
            self.assertAllClose(rates, [0.5, 1])
            self.assertAllClose(slots, [[0.1], [0.001]])
        for name in ("optimizer/iter", "optimizer/beta_1", "value/.OPTIMIZER_SLOT/optimizer/m"):
            self.assertIn(f"{name}/.ATTRIBUTES/VARIABLE_VALUE", keys)


class ProgramOptimizersTest(tf.test.TestCase):
    def test_a_class_of_a_program_has_numbers_and_slots(self):
        class Signs(optimizers.Optimizer):
            def __init__(self, learning_rate=0.5, name="Signs", **kwargs):
                super().__init__(name, **kwargs)
                self._set_hyper("learning_rate", learning_rate)

            def _create_slots(self, var_list):
                for var in var_list:
                    self.add_slot(var, "count", "ones")

            def _resource_apply_dense(self, grad, var):
                count = self.get_slot(var, "count")
                with tf.control_dependencies([count.assign_add(tf.ones_like(grad))]):
                    return var.assign_sub(self._decayed_lr(var.dtype) * tf.sign(grad))

            def get_config(self):
                rate = self._serialize_hyperparameter("learning_rate")
                return {**super().get_config(), "learning_rate": rate}

        value = tf.get_variable("value", initializer=[3.0, -3.0])
        optimizer = Signs(clipnorm=1.0)
        step = optimizer.minimize(lambda: tf.reduce_sum(value**2), [value])
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(step)
            self.assertAllClose(session.run(value), [2.5, -2.5])
            self.assertAllClose(session.run(optimizer.get_slot(value, "count")), [2, 2])
            config = optimizers.serialize(optimizer)
        made = optimizers.deserialize(config, {"Signs": Signs})
        self.assertIs(type(made), Signs)
        self.assertEqual((made.clipnorm, made.lr.name), (1.0, "learning_rate:0"))
        with self.assertRaisesRegex(ValueError, "Unknown optimizer: Signs"):
            optimizers.deserialize(config)


if __name__ == "__main__":
    unittest.main()
