"""Queues and input pipelines between processes."""

import json
import unittest

from nodes import Nodes, finish, free_ports, output_of, start_program

import troupe as tf


class PipelinesTest(tf.test.TestCase):
    def test_parameter_servers_end_when_all_workers_have_said_that_they_are_done(self):
        addresses = [f"localhost:{port}" for port in free_ports(4)]
        cluster = json.dumps({"ps": addresses[:2], "worker": addresses[2:]})
        tasks = [(job, task) for job in ("ps", "worker") for task in range(2)]
        programs = [start_program("done_queue.py", cluster, *each) for each in tasks]
        outputs = [finish(program) for program in programs]
        self.assertEqual(outputs[:2], ["done: 0 1"] * 2)
        for output in outputs[2:]:
            self.assertGreater(float(output.split()[1]), 2.5)

    def test_rows_of_files_are_fitted_on_a_node(self):
        with Nodes(worker=1) as nodes:
            text, slope, offset = output_of("pipeline.py", nodes.target("worker")).split()
        self.assertEqual(text, "line")
        self.assertAlmostEqual(float(slope), 2, delta=0.1)
        self.assertAlmostEqual(float(offset), -3, delta=0.1)

    def test_a_producer_of_one_process_feeds_a_consumer_of_another(self):
        with Nodes(ps=1, worker=2) as nodes:
            with tf.device("/job:ps/task:0"):
                queue = tf.FIFOQueue(3, tf.int32, shapes=(), shared_name="work")
            x = tf.placeholder(tf.int32, [])
            put, take, close = queue.enqueue(x), queue.dequeue(), queue.close()
            with (
                tf.Session(nodes.target("worker", 0)) as producer,
                tf.Session(nodes.target("worker", 1)) as consumer,
            ):
                found = []
                for value in range(5):
                    producer.run(put, {x: value})
                    found.append(int(consumer.run(take)))
                self.assertEqual(found, list(range(5)))
                producer.run(close)
                with self.assertRaisesRegex(tf.errors.OutOfRangeError, "closed"):
                    consumer.run(take)

    def test_a_queue_that_is_lost_with_its_task_fails_the_steps_that_wait(self):
        with Nodes(ps=1, worker=1) as nodes:
            with tf.device("/job:ps/task:0"):
                queue = tf.FIFOQueue(1, tf.int32, shapes=(), shared_name="lost")
            runner = tf.train.QueueRunner(queue, [queue.enqueue(1)])
            coordinator = tf.train.Coordinator()
            with tf.Session(nodes.target("worker")) as session:
                runner.create_threads(session, coordinator, daemon=True, start=True)
                self.assertEqual(session.run(queue.dequeue()), 1)
                nodes.kill("ps", 0)
                with self.assertRaises((tf.errors.UnavailableError, tf.errors.AbortedError)):
                    coordinator.join(stop_grace_period_secs=60)


if __name__ == "__main__":
    unittest.main()
