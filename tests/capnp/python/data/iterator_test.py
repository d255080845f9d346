"""Iterators: how they begin, what they share, and by what they are found."""

import warnings
import threading
import unittest

import numpy as np

import troupe as tf

Dataset = tf.data.Dataset


class BeginningTest(tf.test.TestCase):
    def test_an_initializer_begins_anew(self):
        iterator = tf.data.make_initializable_iterator(Dataset.range(2))
        following = iterator.get_next()
        self.assertEqual([following.dtype, following.shape.as_list()], [tf.int64, []])
        with tf.Session() as session:
            with self.assertRaisesRegex(tf.errors.FailedPreconditionError, "not been initialized"):
                session.run(following)
            for _ in range(2):
                session.run(iterator.initializer)
                self.assertEqual(session.run(following), 0)

    def test_a_one_shot_iterator_has_no_initializer(self):
        iterator = tf.data.make_one_shot_iterator(Dataset.range(2).map(lambda x: x + 1))
        following = iterator.get_next()
        with tf.Session() as session:
            self.assertEqual([session.run(following) for _ in range(2)], [1, 2])
            with self.assertRaises(tf.errors.OutOfRangeError):
                session.run(following)
        with self.assertRaisesRegex(ValueError, "does not have an initializer"):
            iterator.initializer  # noqa: B018

    def test_a_one_shot_iterator_needs_a_dataset_without_state(self):
        count = tf.placeholder(tf.int64, [])
        with self.assertRaisesRegex(ValueError, "Cannot capture a placeholder"):
            Dataset.range(count).make_one_shot_iterator()
        scale = tf.get_variable("scale", initializer=np.int64(3))
        with self.assertRaisesRegex(ValueError, "Failed to create a one-shot iterator"):
            Dataset.range(3).map(lambda x: x * scale).make_one_shot_iterator()

    def test_an_iterator_of_a_structure_takes_datasets_of_it(self):
        iterator = tf.data.Iterator.from_structure((tf.int64, tf.float32), ([], [None]))
        following = iterator.get_next()
        first = Dataset.range(2).map(lambda x: (x, [1.0]))
        second = Dataset.range(5, 7).map(lambda x: (x, tf.zeros([3])))
        begin = [iterator.make_initializer(dataset) for dataset in (first, second)]
        with tf.Session() as session:
            for initializer, expected in zip(begin, ((0, [1]), (5, [0, 0, 0]))):
                session.run(initializer)
                number, rest = session.run(following)
                self.assertEqual([number, rest.tolist()], list(expected))
        with self.assertRaisesRegex(TypeError, "output types"):
            iterator.make_initializer(Dataset.range(2).map(lambda x: (x, [x])))
        with self.assertRaisesRegex(TypeError, "output shapes"):
            iterator.make_initializer(first.batch(2))

    def test_datasets_of_unknown_shapes_may_be_of_a_structure(self):
        iterator = tf.data.Iterator.from_structure(tf.int64, [])
        following = iterator.get_next()
        self.assertEqual(following.shape.as_list(), [])
        unknown = Dataset.from_generator(lambda: iter([7, 8]), tf.int64)
        vectors = Dataset.from_generator(lambda: iter([[7], [8]]), tf.int64)
        with tf.Session() as session:
            session.run(iterator.make_initializer(unknown))
            self.assertEqual([session.run(following), session.run(following)], [7, 8])
            session.run(iterator.make_initializer(vectors))
            with self.assertRaises(tf.errors.InvalidArgumentError):
                session.run(following)

    def test_shapes_have_the_structure_of_types(self):
        with self.assertRaises(TypeError):
            tf.data.Iterator.from_structure((tf.int64, tf.float64), [None])

    def test_many_calls_give_warnings(self):
        iterator = Dataset.range(3).make_one_shot_iterator()
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            for _ in range(40):
                iterator.get_next()
        self.assertEqual(["get_next" in str(each.message) for each in found], [True] * 8)


class HandleTest(tf.test.TestCase):
    def test_a_string_chooses_the_iterator_of_a_step(self):
        training = Dataset.range(3).make_one_shot_iterator()
        testing = Dataset.range(10, 13).make_initializable_iterator()
        handle = tf.placeholder(tf.string, [])
        iterator = tf.data.Iterator.from_string_handle(
            handle, training.output_types, training.output_shapes
        )
        following = iterator.get_next()
        with tf.Session() as session:
            texts = session.run([training.string_handle(), testing.string_handle()])
            session.run(testing.initializer)
            found = [session.run(following, {handle: texts[i % 2]}) for i in range(6)]
            self.assertEqual(found, [0, 10, 1, 11, 2, 12])
            with self.assertRaisesRegex(tf.errors.NotFoundError, "no iterator for the string"):
                session.run(following, {handle: "nothing"})
        wrong = tf.data.Iterator.from_string_handle(handle, tf.float32, []).get_next()
        with tf.Session() as session:
            text = session.run(training.string_handle())
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "Data type mismatch"):
                session.run(wrong, {handle: text})


class SharingTest(tf.test.TestCase):
    def test_two_sessions_on_a_node_share_the_elements(self):
        server = tf.train.Server.create_local_server()
        iterator = Dataset.range(40).make_initializable_iterator(shared_name="numbers")
        following = iterator.get_next()
        found, lock = [], threading.Lock()

        def read():
            with tf.Session(server.target) as session:
                while True:
                    try:
                        element = session.run(following)
                    except tf.errors.OutOfRangeError:
                        return
                    with lock:
                        found.append(int(element))

        with tf.Session(server.target) as session:
            session.run(iterator.initializer)
            threads = [threading.Thread(target=read) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(sorted(found), list(range(40)))

    def test_a_step_that_waits_for_an_element_can_be_cancelled(self):
        gate = threading.Event()

        def generate():
            yield 0
            gate.wait(30)
            yield 1

        dataset = Dataset.from_generator(generate, tf.int32, [])
        iterator = dataset.make_initializable_iterator(shared_name="cancelled")
        following = iterator.get_next()
        server = tf.train.Server.create_local_server()
        with tf.Session(server.target) as session:
            session.run(iterator.initializer)
            self.assertEqual(session.run(following), 0)
            options = tf.RunOptions(timeout_in_ms=100)
            with self.assertRaises(tf.errors.DeadlineExceededError):
                session.run(following, options=options)
        # The session has ended, and so have its steps, of which one would have taken the element.
        gate.set()
        with tf.Session(server.target) as session:
            self.assertEqual(session.run(following), 1)  # not lost


class VariantTest(tf.test.TestCase):
    def test_a_variant_is_neither_fed_nor_fetched(self):
        variant = Dataset.range(2)._variant_tensor
        self.assertEqual(variant.dtype, tf.variant)
        with tf.Session() as session:
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "variant"):
                session.run(variant)

    def test_a_variant_passes_ops_that_move_tensors(self):
        variant = Dataset.range(3)._variant_tensor
        chosen = tf.cond(
            tf.constant(True), lambda: variant, lambda: Dataset.range(1)._variant_tensor
        )
        total = tf.raw_ops.ReduceDataset(
            input_dataset=tf.identity(chosen), initial_state=[np.int64(0)], other_arguments=[],
            f=_add(), output_types=[tf.int64],
            output_shapes=[[]],
        )  # fmt: skip
        with tf.Session() as session:
            self.assertEqual(session.run(total), [3])


def _add():
    from troupe._src.data.function_graph import TracedFunction

    scalar = tf.TensorShape([])
    return TracedFunction(
        "add", [tf.int64] * 2, [scalar] * 2, lambda args: [args[0] + args[1]]
    ).name


if __name__ == "__main__":
    unittest.main()
