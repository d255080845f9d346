"""Queues: what their operations give, when they wait, and how they fail."""

import threading
import unittest

import numpy as np

import troupe as tf


class Waiting:
    """A call in a thread of its own; `result` waits for it and raises its error."""

    def __init__(self, call):
        self._error = self._value = None

        def run():
            try:
                self._value = call()
            except Exception as error:
                self._error = error

        self._thread = threading.Thread(target=run)
        self._thread.start()

    def result(self):
        self._thread.join(60)
        if self._thread.is_alive():
            raise AssertionError("the call does not return")
        if self._error is not None:
            raise self._error
        return self._value


class FIFOQueueTest(tf.test.TestCase):
    def test_elements_come_out_as_they_went_in(self):
        queue = tf.FIFOQueue(10, tf.float32, shapes=())
        x = tf.placeholder(tf.float32, [])
        put, take, size = queue.enqueue((x,)), queue.dequeue(), queue.size()
        with self.session() as session:
            for value in (10, 20, 30):
                session.run(put, {x: value})
            self.assertEqual(session.run(size), 3)
            self.assertEqual([session.run(take) for _ in range(3)], [10, 20, 30])

    def test_components_are_a_list_or_a_dict_by_their_names(self):
        queue = tf.FIFOQueue(5, (tf.int32, tf.string), shapes=((), (2,)))
        named = tf.FIFOQueue(5, (tf.int32, tf.string), names=("i", "s"))
        put = queue.enqueue((1, ["a", "b"]))
        put_named = named.enqueue({"s": "text", "i": 7})
        number, text = queue.dequeue()
        element = named.dequeue()
        self.assertEqual(text.shape.as_list(), [2])
        with self.session() as session:
            session.run([put, put_named])
            self.assertAllEqual(session.run(text), [b"a", b"b"])
            self.assertEqual(session.run(element), {"i": 7, "s": b"text"})
        self.assertEqual(named.names, ["i", "s"])
        self.assertEqual(number.dtype, tf.int32)

    def test_batches_have_one_more_axis(self):
        queue = tf.FIFOQueue(10, (tf.float32, tf.int32), shapes=((), (2,)))
        put = queue.enqueue_many(([1.0, 2.0, 3.0], [[1, 2], [3, 4], [5, 6]]))
        x, y = queue.dequeue_many(2)
        n = tf.placeholder(tf.int32)
        dynamic, _ = queue.dequeue_many(n)
        self.assertEqual(x.shape.as_list(), [2])
        self.assertEqual(y.shape.as_list(), [2, 2])
        self.assertEqual(dynamic.shape.as_list(), [None])
        with self.session() as session:
            session.run(put)
            xs, ys = session.run([x, y])
            self.assertAllEqual(xs, [1, 2])
            self.assertAllEqual(ys, [[1, 2], [3, 4]])
            self.assertAllEqual(session.run(dynamic, {n: 1}), [3])
            self.assertAllEqual(session.run(dynamic, {n: 0}), [])

    def test_what_is_left_at_the_end_makes_a_smaller_batch(self):
        queue = tf.FIFOQueue(10, tf.int32, shapes=())
        put = queue.enqueue_many([[1, 2, 3, 4, 5]])
        take = queue.dequeue_up_to(3)
        self.assertEqual(take.shape.as_list(), [None])
        with self.session() as session:
            session.run(put)
            session.run(queue.close())
            self.assertTrue(session.run(queue.is_closed()))
            self.assertAllEqual(session.run(take), [1, 2, 3])
            self.assertAllEqual(session.run(take), [4, 5])
            with self.assertRaisesRegex(tf.errors.OutOfRangeError, "is closed"):
                session.run(take)

    def test_a_dequeue_waits_for_an_element_and_an_enqueue_for_room(self):
        queue = tf.FIFOQueue(1, tf.int32, shapes=())
        x = tf.placeholder(tf.int32, [])
        put, take = queue.enqueue(x), queue.dequeue()
        with self.session() as session:
            waiting = Waiting(lambda: session.run(take))
            session.run(put, {x: 1})
            self.assertEqual(waiting.result(), 1)
            session.run(put, {x: 2})
            full = Waiting(lambda: session.run(put, {x: 3}))
            self.assertEqual([session.run(take), session.run(take)], [2, 3])
            full.result()

    def test_a_closed_queue_takes_no_more_elements_and_gives_what_it_has(self):
        queue = tf.FIFOQueue(10, tf.int32, shapes=())
        put, take = queue.enqueue(5), queue.dequeue()
        with self.session() as session:
            session.run(put)
            self.assertFalse(session.run(queue.is_closed()))
            session.run(queue.close())
            with self.assertRaisesRegex(tf.errors.CancelledError, "closed"):
                session.run(put)
            self.assertEqual(session.run(take), 5)
            with self.assertRaises(tf.errors.OutOfRangeError):
                session.run(take)

    def test_closing_can_cancel_the_enqueues_that_wait(self):
        queue = tf.FIFOQueue(1, tf.int32, shapes=())
        put, cancel = queue.enqueue(5), queue.close(cancel_pending_enqueues=True)
        with self.session() as session:
            session.run(put)
            waiting = Waiting(lambda: session.run(put))
            session.run(cancel)
            with self.assertRaises(tf.errors.CancelledError):
                waiting.result()

    def test_a_step_that_waits_ends_with_its_session(self):
        queue = tf.FIFOQueue(1, tf.int32, shapes=())
        take = queue.dequeue()
        session = tf.Session()
        self.assertEqual(session.run(queue.size()), 0)
        waiting = Waiting(lambda: session.run(take))
        session.close()
        # Which of them depends on whether the step or the end of the session came first.
        ends = (tf.errors.CancelledError, tf.errors.FailedPreconditionError, RuntimeError)
        with self.assertRaises(ends):
            waiting.result()

    def test_a_step_that_waits_ends_at_its_time_limit(self):
        queue = tf.FIFOQueue(1, tf.int32, shapes=())
        with self.session() as session, self.assertRaises(tf.errors.DeadlineExceededError):
            session.run(queue.dequeue(), options=tf.RunOptions(timeout_in_ms=20))

    def test_names_follow_that_of_the_queue(self):
        with tf.name_scope("outer"):
            queue = tf.FIFOQueue(1, tf.int32, shapes=(), name="q")
        self.assertEqual(queue.name, "outer/q")
        self.assertEqual(queue.queue_ref.op.type, "FIFOQueueV2")
        self.assertEqual(queue.enqueue(1).name, "q_enqueue")
        self.assertEqual(queue.enqueue_many([[1]]).name, "q_EnqueueMany")
        self.assertEqual(queue.dequeue().op.name, "q_Dequeue")
        self.assertEqual(queue.dequeue_many(1).op.name, "q_DequeueMany")
        self.assertEqual(queue.dequeue_up_to(1).op.name, "q_DequeueUpTo")
        self.assertEqual(queue.close().name, "q_Close")
        self.assertEqual(queue.is_closed().op.name, "q_Is_Closed")
        self.assertEqual(queue.size().op.name, "q_Size")
        self.assertEqual(queue.size(name="other").op.name, "other")

    def test_queues_of_one_name_are_one_queue(self):
        one = tf.FIFOQueue(5, tf.int32, shapes=(), shared_name="shared")
        other = tf.FIFOQueue(5, tf.int32, shapes=(), shared_name="shared")
        different = tf.FIFOQueue(5, tf.float32, shapes=(), shared_name="shared")
        with self.session() as session:
            session.run(one.enqueue(3))
            self.assertEqual(session.run(other.dequeue()), 3)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "component types"):
                session.run(different.size())

    def test_a_queue_is_in_the_container_of_its_scope(self):
        with tf.container("own"):
            queue = tf.FIFOQueue(5, tf.int32)
        self.assertEqual(queue.queue_ref.op.get_attr("container"), b"own")

    def test_no_rows_are_no_elements(self):
        queue = tf.FIFOQueue(5, tf.float32, shapes=((2,),))
        with self.session() as session:
            session.run(queue.enqueue_many([tf.constant([], tf.float32, shape=(0, 2))]))
            self.assertEqual(session.run(queue.size()), 0)


class ArgumentsTest(tf.test.TestCase):
    def test_shapes_must_be_fully_known_and_as_many_as_dtypes(self):
        for shapes in (((), (None,)), ((), None)):
            with self.assertRaisesRegex(ValueError, "must be fully defined"):
                tf.FIFOQueue(5, (tf.int32, tf.int32), shapes)
        with self.assertRaisesRegex(ValueError, "same length as dtypes"):
            tf.queue.QueueBase([tf.int32], [(), ()], None, tf.FIFOQueue(1, tf.int32).queue_ref)
        with self.assertRaisesRegex(TypeError, "must be a TensorShape or a list"):
            tf.FIFOQueue(5, tf.int32, shapes="text")
        with self.assertRaisesRegex(ValueError, "a list of shapes must be provided"):
            tf.PaddingFIFOQueue(5, tf.int32, (None, 2))
        with self.assertRaisesRegex(ValueError, "1 dtypes and 2 shapes"):
            tf.PaddingFIFOQueue(5, tf.int32, ((), ()))
        with self.assertRaisesRegex(ValueError, "defined rank"):
            tf.PaddingFIFOQueue(5, tf.int32, (tf.TensorShape(None),))

    def test_names_must_be_as_many_as_dtypes(self):
        with self.assertRaisesRegex(ValueError, "same length as the list of dtypes"):
            tf.FIFOQueue(5, (tf.int32, tf.int32), names="one")

    def test_elements_must_have_the_names_dtypes_and_shapes_of_the_components(self):
        queue = tf.FIFOQueue(5, tf.int32, shapes=((2,),))
        named = tf.FIFOQueue(5, tf.int32, names=["i"])
        with self.assertRaisesRegex(ValueError, "must have names to enqueue a dictionary"):
            queue.enqueue({"i": [1, 2]})
        with self.assertRaisesRegex(ValueError, "must enqueue a dictionary"):
            named.enqueue(1)
        with self.assertRaisesRegex(ValueError, "do not match names of Queue"):
            named.enqueue({"j": 1})
        with self.assertRaises(ValueError):
            queue.enqueue(tf.constant([1.0, 2.0]))
        with self.assertRaisesRegex(ValueError, "incompatible"):
            queue.enqueue([[1, 2, 3]])
        with self.assertRaisesRegex(ValueError, "incompatible"):
            queue.enqueue_many([[[1, 2, 3]]])
        with self.assertRaisesRegex(ValueError, "rank at least 1"):
            queue.enqueue_many(tf.placeholder(tf.int32, []))

    def test_rows_must_be_as_many_in_all_components(self):
        queue = tf.FIFOQueue(5, (tf.int32, tf.int32), shapes=((), ()))
        with self.assertRaisesRegex(ValueError, "not compatible"):
            queue.enqueue_many(([1, 2], [1, 2, 3]))
        with self.session() as session:
            x = tf.placeholder(tf.int32, [None])
            with self.assertRaises(tf.errors.InvalidArgumentError):
                session.run(queue.enqueue_many(([1, 2], x)), {x: [1, 2, 3]})


class SelectedQueueTest(tf.test.TestCase):
    def test_a_step_says_which_of_several_queues_it_uses(self):
        queues = [tf.FIFOQueue(5, tf.int32, shapes=(), name=f"q{i}") for i in range(3)]
        index = tf.placeholder(tf.int32, [])
        selected = tf.QueueBase.from_list(index, queues)
        x = tf.placeholder(tf.int32, [])
        put, take = selected.enqueue(x), selected.dequeue()
        self.assertEqual(selected.dtypes, [tf.int32])
        with self.session() as session:
            for number in range(3):
                session.run(put, {index: number, x: 10 * number})
            self.assertEqual(session.run(queues[2].dequeue()), 20)
            self.assertEqual(session.run(take, {index: 1}), 10)
            with self.assertRaises(tf.errors.InvalidArgumentError):
                session.run(take, {index: 3})

    def test_queues_to_choose_from_have_the_same_components(self):
        one = tf.FIFOQueue(5, (tf.int32, tf.int32), shapes=((2, 3), ()))
        other = tf.FIFOQueue(5, (tf.int32, tf.int32), shapes=((2, 4), ()))
        selected = tf.QueueBase.from_list(0, [one, other])
        self.assertEqual([shape.as_list() for shape in selected.shapes], [[2, None], []])
        with self.assertRaisesRegex(TypeError, "matching component dtypes"):
            tf.QueueBase.from_list(0, [one, tf.FIFOQueue(5, tf.int32)])
        with self.assertRaisesRegex(TypeError, "matching component names"):
            named = tf.FIFOQueue(5, (tf.int32, tf.int32), names=["a", "b"])
            tf.QueueBase.from_list(0, [one, named])
        for wrong in ([], one, [one, "queue"]):
            with self.assertRaisesRegex(TypeError, "list of queues expected"):
                tf.QueueBase.from_list(0, wrong)


class OtherKindsTest(tf.test.TestCase):
    def test_batches_of_a_padding_queue_have_the_size_of_their_largest_elements(self):
        queue = tf.PaddingFIFOQueue(10, (tf.int32, tf.string), ((None,), (None, 1)))
        put = [queue.enqueue(([1] * n, [["a"]] * n)) for n in (1, 3, 2)]
        numbers, texts = queue.dequeue_many(2)
        self.assertEqual(numbers.shape.as_list(), [2, None])
        self.assertEqual(texts.shape.as_list(), [2, None, 1])
        with self.session() as session:
            for each in put:
                session.run(each)
            found, found_texts = session.run([numbers, texts])
            self.assertAllEqual(found, [[1, 0, 0], [1, 1, 1]])
            self.assertAllEqual(found_texts[0, :, 0], [b"a", b"", b""])

    def test_a_priority_queue_gives_the_smallest_priority_first(self):
        queue = tf.PriorityQueue(10, (tf.string,), shapes=((),))
        put = queue.enqueue_many(([3, 1, 2], ["three", "one", "two"]))
        priority, text = queue.dequeue()
        self.assertEqual(queue.dtypes, [tf.int64, tf.string])
        self.assertEqual((priority.dtype, priority.shape.as_list()), (tf.int64, []))
        with self.session() as session:
            session.run(put)
            found = [session.run([priority, text]) for _ in range(3)]
        self.assertEqual(found, [[1, b"one"], [2, b"two"], [3, b"three"]])

    def test_a_shuffling_queue_keeps_elements_back_until_it_is_closed(self):
        queue = tf.RandomShuffleQueue(10, 2, tf.int32, shapes=())
        put, take = queue.enqueue_many([list(range(5))]), queue.dequeue()
        with self.session() as session:
            session.run(put)
            found = [session.run(take) for _ in range(3)]
            waiting = Waiting(lambda: session.run(take))
            session.run(queue.close())
            found += [waiting.result(), session.run(take)]
            self.assertCountEqual(found, range(5))

    def test_the_order_follows_from_the_seed(self):
        def order(seed, graph_seed):
            with tf.Graph().as_default(), tf.Session() as session:
                tf.set_random_seed(graph_seed)
                queue = tf.RandomShuffleQueue(100, 0, tf.int32, shapes=(), seed=seed)
                session.run(queue.enqueue_many([list(range(100))]))
                return session.run(queue.dequeue_many(100)).tolist()

        self.assertEqual(order(1, 2), order(1, 2))
        self.assertNotEqual(order(1, 2), order(3, 2))
        self.assertNotEqual(order(1, None), list(range(100)))

    def test_programs_that_share_a_queue_agree_on_its_seeds(self):
        seeds = []
        for more_nodes in (0, 5):
            with tf.Graph().as_default():
                tf.set_random_seed(7)
                for _ in range(more_nodes):
                    tf.no_op()
                op = tf.RandomShuffleQueue(5, 0, tf.int32, shared_name="one").queue_ref.op
                seeds.append((op.get_attr("seed"), op.get_attr("seed2")))
        self.assertEqual(seeds[0], seeds[1])
        self.assertEqual(seeds[0][0], 7)

    def test_a_queue_shows_its_names_its_room_and_its_dtypes(self):
        with tf.name_scope("input"):
            queue = tf.FIFOQueue(9, [tf.float32, tf.string], shared_name="words", name="q")
        self.assertEqual(
            repr(queue),
            "<tf.queue.FIFOQueue name='input/q' shared_name='words' capacity=9 "
            "dtypes=['float32', 'string']>",
        )
        other = tf.RandomShuffleQueue(9, 4, [tf.float32, tf.string])
        self.assertEqual(
            repr(other),
            "<tf.queue.RandomShuffleQueue name='random_shuffle_queue' capacity=9 "
            "min_after_dequeue=4 dtypes=['float32', 'string']>",
        )
        chosen = repr(tf.QueueBase.from_list(0, [queue, other]))
        self.assertRegex(
            chosen, r"^<tf.queue.QueueBase name='\S+' dtypes=\['float32', 'string'\]>$"
        )

    def test_all_dtypes_go_through_a_queue(self):
        for dtype in (tf.float32, tf.float64, tf.int32, tf.uint8, tf.int16, tf.int8, tf.int64,
                      tf.uint16, tf.bool, tf.complex64, tf.complex128):  # fmt: skip
            queue = tf.FIFOQueue(5, dtype, shapes=((2,),))
            values = np.array([[0, 1], [1, 1]]).astype(dtype.as_numpy_dtype)
            with self.subTest(dtype), tf.Session() as session:
                session.run(queue.enqueue_many([values]))
                self.assertAllEqual(session.run(queue.dequeue_many(2)), values)


if __name__ == "__main__":
    unittest.main()
