"""The backend that Keras asks for, without Keras."""

import gc
import unittest
import weakref

import numpy as np

import troupe as tf
from troupe.python.keras import backend
from troupe.python.keras.utils import tf_utils


class BackendCase(unittest.TestCase):
    def setUp(self):
        self.addCleanup(backend.clear_session)
        self.addCleanup(backend.set_floatx, backend.floatx())
        self.addCleanup(backend.manual_variable_initialization, False)
        np.random.seed(3)


class SettingsTest(BackendCase):
    def test_values_are_made_of_the_dtype_that_is_set(self):
        backend.set_floatx("float64")
        self.assertEqual(backend.placeholder((2,)).dtype, tf.float64)
        self.assertEqual(backend.variable([1]).dtype.base_dtype, tf.float64)
        self.assertEqual(backend.random_normal([2]).dtype, tf.float64)
        self.assertEqual(backend.cast_to_floatx([1]).dtype, np.float64)

    def test_what_is_no_setting_is_an_error_that_names_those(self):
        with self.assertRaisesRegex(ValueError, "int32: one of float16"):
            backend.set_floatx("int32")
        with self.assertRaisesRegex(ValueError, "first: one of channels_first"):
            backend.set_image_data_format("first")
        with self.assertRaisesRegex(ValueError, "0 or 1"):
            backend.set_learning_phase(2)

    def test_unique_numbers_are_those_of_a_graph(self):
        self.assertEqual([backend.get_uid(each) for each in "aab"], [1, 2, 1])
        with tf.Graph().as_default():
            self.assertEqual(backend.get_uid("a"), 1)
        backend.reset_uids()
        self.assertEqual(backend.get_uid("a"), 1)

    def test_the_learning_phase_keeps_no_graph_alive(self):
        graph = tf.Graph()
        with graph.as_default():
            backend.learning_phase()
        held = weakref.ref(graph)
        del graph
        gc.collect()
        self.assertIsNone(held())

    def test_the_learning_phase_is_false_unless_fed_or_set(self):
        phase = backend.learning_phase()
        self.assertIs(backend.learning_phase(), phase)
        read = backend.function([phase], [tf.identity(phase)])
        self.assertEqual([read([1]), read([0]), read([None])], [[True], [False], [False]])
        backend.set_learning_phase(1)
        self.assertEqual(backend.learning_phase(), 1)


class SessionTest(BackendCase):
    def test_variables_are_initialized_with_the_first_step_after_them(self):
        first = backend.variable(3.0)
        self.assertEqual(backend.get_value(first), 3.0)
        backend.set_value(first, 4)
        second = backend.variable(5.0)
        self.assertEqual(backend.batch_get_value([first, second]), [4.0, 5.0])

    def test_a_program_may_initialize_its_variables_itself(self):
        backend.manual_variable_initialization(True)
        with self.assertRaises(tf.errors.FailedPreconditionError):
            backend.get_value(backend.variable(3.0))

    def test_the_session_is_the_default_one_else_that_which_was_set(self):
        with tf.Session() as session:
            backend.set_session(session)
            self.assertIs(backend.get_session(), session)
            with tf.Session() as inner:
                self.assertIs(backend.get_session(), inner)
        backend.clear_session()
        self.assertIsNot(backend.get_session(), session)

    def test_setting_values_again_adds_nothing_to_the_graph(self):
        x = backend.variable(np.zeros((2, 3)))
        backend.set_value(x, np.ones((2, 3)))
        count = len(tf.get_default_graph().get_operations())
        backend.batch_set_value([(x, np.full((2, 3), 2.0))])
        self.assertEqual(len(tf.get_default_graph().get_operations()), count)
        np.testing.assert_array_equal(backend.get_value(x), np.full((2, 3), 2.0))


class FunctionTest(BackendCase):
    def test_outputs_have_the_values_from_before_the_updates(self):
        x, count = backend.placeholder(()), backend.variable(0.0)
        add = backend.function([x], [count, x * 2], updates=[(count, count + x)])
        for before in (0, 3, 6):
            self.assertEqual(add([3]), [before, 6])

    def test_results_come_in_the_structure_of_the_outputs(self):
        x = backend.placeholder((None,))
        both = backend.function([x], {"sum": tf.reduce_sum(x), "all": [x, x + 1]})
        found = both([[1, 2]])
        self.assertEqual(found["sum"], 3)
        np.testing.assert_array_equal(found["all"][1], [2, 3])

    def test_inputs_at_the_end_may_have_no_value(self):
        x, scale = tf.placeholder(tf.float32, [2]), tf.placeholder_with_default(3.0, [])
        scaled = backend.function([x, scale], [x * scale])
        np.testing.assert_array_equal(scaled([[1.0, 2.0]]), [[3.0, 6.0]])
        np.testing.assert_array_equal(scaled([[1.0, 2.0], 2.0]), [[2.0, 4.0]])

    def test_tensors_as_inputs_are_computed(self):
        x = backend.placeholder((2,))
        double = backend.function([x], [x * 2])
        np.testing.assert_array_equal(double([tf.constant([1.0, 2.0])])[0], [2, 4])
        np.testing.assert_array_equal(double([backend.variable([3.0, 4.0])])[0], [6, 8])

    def test_further_feeds_and_fetches_are_those_of_each_step(self):
        x, factor = backend.placeholder(()), backend.placeholder(())
        log = backend.variable(0.0)
        scale = backend.function(
            [x], [x * factor], feed_dict={factor: 3.0}, fetches=[log.assign_add(1.0)]
        )
        self.assertEqual([scale([2]), scale([3])], [[6], [9]])
        self.assertEqual(backend.get_value(log), 2)

    def test_what_no_step_has_is_refused(self):
        with self.assertRaisesRegex(ValueError, 'Invalid argument "feeds"'):
            backend.function([], [], feeds={})
        with self.assertRaisesRegex(TypeError, "list or tuple"):
            backend.function([], [], updates={})


class LossTest(BackendCase):
    def value(self, tensor):
        return backend.get_value(tensor)

    def test_losses_of_probabilities_and_of_their_logits_are_the_same(self):
        logits = np.random.randn(4, 5).astype("f")
        shares = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
        classes = np.array([0, 4, 2, 2])
        wanted = -np.log(shares[range(4), classes])
        targets = np.eye(5, dtype="f")[classes]
        for output, is_logits in [
            (shares, False), (logits, True), (tf.nn.softmax(logits), False),
        ]:  # fmt: skip
            for loss in (
                backend.categorical_crossentropy(targets, output, is_logits),
                backend.sparse_categorical_crossentropy(classes, output, is_logits),
                backend.sparse_categorical_crossentropy(classes[:, None], output, is_logits),
            ):
                np.testing.assert_allclose(self.value(loss), wanted, rtol=1e-5)

    def test_classes_may_be_along_another_axis(self):
        logits = np.random.randn(2, 5, 3).astype("f")
        classes = np.random.randint(0, 5, (2, 3))
        last = backend.sparse_categorical_crossentropy(classes, logits.transpose(0, 2, 1), True)
        first = backend.sparse_categorical_crossentropy(classes, logits, True, axis=1)
        self.assertEqual(first.shape.as_list(), [2, 3])
        np.testing.assert_allclose(self.value(first), self.value(last), rtol=1e-6)
        with self.assertRaisesRegex(ValueError, "axis 3. The output has 3 axes"):
            backend.categorical_crossentropy(logits, logits, axis=3)

    def test_certain_probabilities_have_finite_losses(self):
        ends = np.array([[0.0, 1.0]], "f")
        for loss in (
            backend.categorical_crossentropy(1 - ends, ends),
            backend.binary_crossentropy(1 - ends, ends),
        ):
            self.assertTrue(np.isfinite(self.value(loss)).all())

    def test_binary_losses_take_logits_of_a_sigmoid(self):
        logits = np.array([-2.0, 0.5, 60.0], "f")
        targets = np.array([0.0, 1.0, 0.0], "f")
        found = self.value(backend.binary_crossentropy(targets, tf.sigmoid(logits)))
        np.testing.assert_allclose(found, np.log1p(np.exp(-logits)) * targets + np.where(
            targets == 0, np.logaddexp(0, logits), 0), rtol=1e-5)  # fmt: skip


class LoopTest(BackendCase):
    """Sums of inputs: the output of a time step is the state after it."""

    def sums(self, x, **options):
        step = lambda inputs, states: (states[0] + inputs, [states[0] + inputs])  # noqa: E731
        start = tf.zeros([x.shape[0], *x.shape[2:]])
        last, outputs, states = backend.rnn(step, tf.constant(x), [start], **options)
        return backend.get_session().run([last, outputs, states[0]])

    def test_loops_and_unrolled_steps_give_the_same(self):
        x = np.random.randn(2, 5, 3).astype("f")
        for unroll in (False, True):
            last, outputs, state = self.sums(x, unroll=unroll)
            np.testing.assert_allclose(outputs, x.cumsum(1), rtol=1e-4, atol=1e-6)
            np.testing.assert_array_equal(last, outputs[:, -1])
            np.testing.assert_array_equal(last, state)

    def test_sequences_may_go_backwards(self):
        x = np.random.randn(2, 5, 3).astype("f")
        for unroll in (False, True):
            _, outputs, _ = self.sums(x, unroll=unroll, go_backwards=True)
            np.testing.assert_allclose(outputs, x[:, ::-1].cumsum(1), rtol=1e-4, atol=1e-6)

    def test_masked_time_steps_keep_the_state_and_the_output(self):
        x = np.arange(1, 9, dtype="f").reshape(2, 4, 1)
        mask = tf.constant([[True, True, False, True], [False, True, False, False]])
        for unroll in (False, True):
            _, outputs, state = self.sums(x, unroll=unroll, mask=mask)
            np.testing.assert_array_equal(outputs[..., 0], [[1, 3, 3, 7], [0, 6, 6, 6]])
            np.testing.assert_array_equal(state[:, 0], [7, 6])
            _, outputs, state = self.sums(x, unroll=unroll, mask=mask, zero_output_for_mask=True)
            np.testing.assert_array_equal(outputs[..., 0], [[1, 3, 0, 7], [0, 6, 0, 0]])
            np.testing.assert_array_equal(state[:, 0], [7, 6])

    def test_the_gradient_goes_through_the_loop(self):
        x = tf.constant(np.random.randn(2, 4, 3).astype("f"))
        w = backend.variable(np.eye(3))
        step = lambda inputs, states: (tf.matmul(inputs, w), [states[0]])  # noqa: E731
        gradients = []
        for unroll in (False, True):
            last, outputs, _ = backend.rnn(step, x, [tf.zeros([2, 1])], unroll=unroll)
            gradients += tf.gradients(tf.reduce_sum(outputs * outputs), [w])
        loop, unrolled = backend.get_session().run(gradients)
        np.testing.assert_allclose(loop, unrolled, rtol=1e-5)

    def test_the_number_of_time_steps_must_be_known_to_unroll(self):
        x = backend.placeholder((None, None, 3))
        with self.assertRaisesRegex(ValueError, "fixed number of timesteps"):
            backend.rnn(lambda i, s: (i, s), x, [tf.zeros([1])], unroll=True)

    def test_unknown_numbers_of_samples_and_time_steps_are_those_of_the_feed(self):
        x = backend.placeholder((None, None, 3))
        step = lambda inputs, states: (states[0] + inputs, [states[0] + inputs])  # noqa: E731
        _, outputs, _ = backend.rnn(step, x, [tf.zeros_like(x[:, 0])])
        self.assertEqual(outputs.shape.as_list(), [None, None, 3])
        run = backend.function([x], [outputs])
        for shape in ((2, 5, 3), (1, 1, 3)):
            value = np.random.randn(*shape)
            np.testing.assert_allclose(run([value])[0], value.cumsum(1), rtol=1e-4, atol=1e-6)


class ValueTest(BackendCase):
    def test_random_numbers_repeat_with_the_seed_of_numpy(self):
        def drawn():
            np.random.seed(5)
            with tf.Graph().as_default(), tf.Session() as session:
                draws = [
                    backend.random_normal([4]), backend.random_uniform([4]),
                    backend.truncated_normal([4]), backend.random_binomial([40], 0.3),
                ]  # fmt: skip
                return np.concatenate(session.run(draws))

        first = drawn()
        np.testing.assert_array_equal(first, drawn())
        self.assertEqual(set(first[12:]), {0, 1})

    def test_what_an_element_leads_to_is_reached(self):
        x, y = backend.placeholder(()), backend.placeholder(())
        variable = backend.variable(1.0)
        total = x + 1.0
        last = total * variable
        self.assertTrue({x, total, total.op, last} <= tf_utils.get_reachable_from_inputs([x]))
        self.assertIn(last, tf_utils.get_reachable_from_inputs([variable], targets=[last]))
        self.assertNotIn(last, tf_utils.get_reachable_from_inputs([y, 1]))


if __name__ == "__main__":
    unittest.main()
