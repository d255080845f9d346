"""Supervisor: initialization, checkpoints, threads."""

import os
import threading
import unittest

import troupe as tf


class SupervisorTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.build()

    def build(self):
        tf.reset_default_graph()
        self.step = tf.train.get_or_create_global_step()
        self.w = tf.get_variable("w", initializer=1.0)
        self.train = tf.train.GradientDescentOptimizer(0.1).minimize(self.w * self.w, self.step)

    def test_the_chief_initializes_variables_and_the_others_wait(self):
        server = tf.train.Server.create_local_server()
        steps = []

        def work():
            with tf.Graph().as_default() as graph:
                step = tf.train.get_or_create_global_step()
                count = step.assign_add(1)
                waiting = tf.train.Supervisor(graph, is_chief=False)
                with waiting.managed_session(server.target) as session:
                    steps.append(session.run(count))

        thread = threading.Thread(target=work)
        thread.start()
        supervisor = tf.train.Supervisor(init_op=tf.global_variables_initializer())
        with supervisor.managed_session(server.target) as session:
            thread.join()
            self.assertEqual(steps, [1])
            self.assertIs(tf.get_default_session(), session)
            self.assertEqual(self.step.eval(), 1)
        server.stop()

    def test_a_training_goes_on_from_its_last_checkpoint(self):
        folder = os.path.join(self.get_temp_dir(), "log")
        for expected in (0, 3):
            calls = []
            supervisor = tf.train.Supervisor(logdir=folder, save_model_secs=0, init_fn=calls.append)
            with supervisor.managed_session() as session:
                self.assertEqual(session.run(self.step), expected)
                for _ in range(3):
                    session.run(self.train)
                supervisor.saver.save(session, supervisor.save_path, supervisor.global_step)
            self.assertEqual(len(calls), 1 if expected == 0 else 0)
            self.build()
        self.assertTrue(tf.train.latest_checkpoint(folder).endswith("model.ckpt-6"))

    def test_the_basic_loop_runs_until_it_is_stopped_and_again_after_an_abort(self):
        supervisor = tf.train.Supervisor()
        calls = []

        def step(session, limit, name=""):
            calls.append((name, session.run(self.step)))
            session.run(self.train)
            if len(calls) == 2:
                raise tf.errors.AbortedError(None, None, "restarted")
            if len(calls) == limit:
                supervisor.request_stop()

        tf.train.basic_train_loop(supervisor, step, [4], {"name": "a"})
        self.assertEqual(calls, [("a", 0), ("a", 1), ("a", 0), ("a", 1)])

    def test_it_saves_checkpoints_periodically(self):
        folder = self.get_temp_dir()
        supervisor = tf.train.Supervisor(logdir=folder, save_model_secs=0.01)
        with supervisor.managed_session():
            while tf.train.latest_checkpoint(folder) is None:
                self.assertFalse(supervisor.coord.wait_for_stop(0.01))
        self.assertTrue(supervisor.should_stop())

    def test_the_chief_writes_the_graph_once(self):
        folder = self.get_temp_dir()
        supervisor = tf.train.Supervisor(logdir=folder, save_model_secs=0)
        for _ in range(2):
            with supervisor.managed_session():
                pass
        with open(os.path.join(folder, "graph.pbtxt")) as text:
            self.assertIn('name: "w/handle"', text.read())
        names = [name for name in sorted(os.listdir(folder)) if "tfevents" in name]
        events = [e for n in names for e in tf.train.summary_iterator(os.path.join(folder, n))]
        graphs = [event.meta_graph_def for event in events if event.HasField("meta_graph_def")]
        (message,) = graphs
        meta_graph = tf.MetaGraphDef.FromString(message)
        self.assertIn("trainable_variables", meta_graph.collection_def)
        self.assertTrue(meta_graph.saver_def.save_tensor_name)
        self.assertEqual(len([e for e in events if e.HasField("graph_def")]), 1)

    def test_an_error_of_a_thread_or_of_the_program_ends_the_training(self):
        def fail():
            raise KeyError("in the thread")

        with self.assertRaisesRegex(KeyError, "in the thread"):
            supervisor = tf.train.Supervisor()
            with supervisor.managed_session() as session:
                supervisor.loop(None, fail)
                while not supervisor.should_stop():
                    session.run(self.train)
        self.build()
        with self.assertRaisesRegex(ZeroDivisionError, "by the program"):
            with tf.train.Supervisor().managed_session():
                raise ZeroDivisionError("by the program")

    def test_the_end_of_the_data_is_not_an_error(self):
        with tf.train.Supervisor().managed_session():
            raise tf.errors.OutOfRangeError(None, None, "no more")


if __name__ == "__main__":
    unittest.main()
