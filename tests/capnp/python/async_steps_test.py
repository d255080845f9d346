"""Steps that asyncio tasks await."""

import asyncio
import threading
import time
import unittest

import troupe as tf


class AsyncStepsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.server = tf.train.Server.create_local_server()
        self.x = tf.placeholder(tf.float32, [])
        self.y = self.x * 2.0

    def tearDown(self):
        self.server.stop(1)
        super().tearDown()

    def slow(self):
        """Some seconds of work."""
        size = 1500
        product = tf.ones([size, size])
        for _ in range(60):
            product = tf.matmul(product, tf.ones([size, size])) / float(size)
        return tf.reduce_sum(product)

    def test_a_thousand_tasks_await_steps_in_one_loop(self):
        for target in ("", self.server.target):
            with tf.Session(target) as session:

                async def work(number):
                    for _ in range(3):
                        if await session.run_async(self.y, {self.x: number}) != 2 * number:
                            return False
                    return True

                async def everything():
                    return await asyncio.gather(*[work(number) for number in range(1000)])

                threads = threading.active_count()
                self.assertTrue(all(asyncio.run(everything())))
                self.assertLess(threading.active_count(), threads + 4)

    def test_a_result_is_a_writable_array(self):
        value = tf.ones([1 << 16]) + 1.0
        for target in ("", self.server.target):
            with tf.Session(target) as session:

                async def work():
                    for _ in range(50):
                        array = await session.run_async(value)
                        array += 1
                    return array[0]

                self.assertEqual(asyncio.run(work()), 3)

    def test_errors_are_those_of_run(self):
        with tf.Session(self.server.target) as session:
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "must be fed"):
                asyncio.run(session.run_async(self.y))

    def test_a_task_that_is_cancelled_cancels_its_step(self):
        slow = self.slow()
        for target in ("", self.server.target):
            with tf.Session(target) as session:

                async def work():
                    await asyncio.wait_for(session.run_async(slow.op), 0.2)

                started = time.monotonic()
                with self.assertRaises(asyncio.TimeoutError):
                    asyncio.run(work())
                self.assertLess(time.monotonic() - started, 2)
                self.assertEqual(session.run(self.y, {self.x: 1}), 2)
                if target:
                    self.server.drain(1)  # which would take longer if the step went on

    def test_the_loop_goes_on_while_a_step_runs(self):
        slow = self.slow()
        with tf.Session(self.server.target) as session:

            async def work():
                ticks = 0
                step = asyncio.ensure_future(session.run_async(slow))
                quick = await session.run_async(self.y, {self.x: 3})
                while not step.done() and ticks < 20:
                    await asyncio.sleep(0.01)
                    ticks += 1
                step.cancel()
                return ticks, quick

            ticks, quick = asyncio.run(work())
        self.assertEqual(quick, 6)
        self.assertGreater(ticks, 10)


if __name__ == "__main__":
    unittest.main()
