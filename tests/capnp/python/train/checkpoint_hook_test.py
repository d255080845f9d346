"""What a CheckpointSaverHook writes beside checkpoints, and classes that change what it does."""

import os
import unittest

import troupe as tf


class CheckpointHookTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.folder = os.path.join(self.get_temp_dir(), "run")
        self.prefix = os.path.join(self.folder, "model.ckpt")
        self.step = tf.train.get_or_create_global_step()
        self.train = tf.identity(tf.assign_add(self.step, 1), name="train")

    def run_steps(self, count, hooks=(), **options):
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=self.folder, hooks=hooks, **options
        ) as session:
            for _ in range(count):
                session.run(self.train)

    def files(self, end):
        return sorted(name for name in os.listdir(self.folder) if name.endswith(end))

    def listener(self):
        return tf.train.CheckpointSaverListener()

    def test_each_checkpoint_that_is_kept_has_its_graph(self):
        for listeners in ([], [self.listener()]):
            with tf.Graph().as_default():
                self.train = tf.assign_add(tf.train.get_or_create_global_step(), 1)
                tf.identity(self.train, name="next")
                scaffold = tf.train.Scaffold(saver=tf.train.Saver(max_to_keep=2))
                hook = tf.train.CheckpointSaverHook(
                    self.folder, save_steps=1, scaffold=scaffold, listeners=listeners
                )
                self.run_steps(3, [hook], save_checkpoint_secs=None, scaffold=scaffold)
            kept = tf.train.get_checkpoint_state(self.folder).all_model_checkpoint_paths
            last = int(kept[-1].rsplit("-")[-1])
            self.assertEqual(kept, [f"{self.prefix}-{step}" for step in (last - 1, last)])
            found = [os.path.join(self.folder, name) for name in self.files(".meta")]
            self.assertEqual(found, [path + ".meta" for path in kept])
            with tf.Graph().as_default(), tf.Session() as session:
                saver = tf.train.import_meta_graph(found[-1])
                saver.restore(session, kept[-1])
                self.assertEqual(session.run("next:0"), last + 1)

    def test_the_graph_is_in_the_folder_and_in_an_event_file(self):
        self.run_steps(1)
        with open(os.path.join(self.folder, "graph.pbtxt")) as file:
            text = file.read()
        self.assertIn('name: "train"', text)
        self.assertIn("_output_shapes", text)
        [name] = [name for name in os.listdir(self.folder) if "tfevents" in name]
        events = list(tf.train.summary_iterator(os.path.join(self.folder, name)))
        [graph] = [event.graph_def for event in events if event.HasField("graph_def")]
        self.assertIn("train", [node.name for node in tf.GraphDef.FromString(graph).node])
        [meta] = [event.meta_graph_def for event in events if event.HasField("meta_graph_def")]
        saver = tf.MetaGraphDef.FromString(meta).saver_def
        self.assertEqual(saver.restore_op_name, "save/restore_all")
        logs = [(event.step, event.session_log) for event in events
                if event.HasField("session_log")]  # fmt: skip
        saved = [(step, log.checkpoint_path) for step, log in logs
                 if log.status == tf.SessionLog.CHECKPOINT]  # fmt: skip
        self.assertEqual(saved, [(0, self.prefix + "-0"), (1, self.prefix + "-1")])

    def test_callbacks_of_a_class_of_the_programs_own_are_called(self):
        calls = []

        class NoFirst(tf.train.CheckpointSaverHook):
            def after_create_session(self, session, coord):
                calls.append("created")

            def after_run(self, run_context, run_values):
                super().after_run(run_context, run_values)
                calls.append(tf.train.latest_checkpoint(self._checkpoint_dir))

        self.run_steps(1, [NoFirst(self.folder, save_steps=5)], save_checkpoint_secs=None)
        self.assertEqual(calls, ["created", self.prefix + "-1"])

        class Stops(tf.train.StopAtStepHook):
            def after_run(self, run_context, run_values):
                run_context.request_stop()

        with tf.train.MonitoredSession(hooks=[Stops(last_step=9)]) as session:
            session.run(self.train)
            self.assertTrue(session.should_stop())

    def test_a_saver_of_the_programs_own_saves(self):
        steps = []

        class Own(tf.train.Saver):
            def save(self, sess, save_path, global_step=None, **options):
                steps.append(global_step)
                return super().save(sess, save_path, global_step, **options)

        scaffold = tf.train.Scaffold(saver=Own())
        self.run_steps(2, scaffold=scaffold, save_checkpoint_steps=1)
        self.assertEqual(steps, [0, 1, 2])

    def test_listeners_are_called_around_each_checkpoint_and_may_end_the_training(self):
        calls = []

        class Listener(tf.train.CheckpointSaverListener):
            def __init__(self, last_step):
                self.last_step = last_step

            def begin(self):
                calls.append(("begin", self.last_step))

            def before_save(self, session, global_step_value):
                calls.append(("before", global_step_value))

            def after_save(self, session, global_step_value):
                calls.append(("after", global_step_value))
                return global_step_value == self.last_step

            def end(self, session, global_step_value):
                calls.append(("end", global_step_value))

        hook = tf.train.CheckpointSaverHook(self.folder, save_steps=2, listeners=[Listener(9)])
        hook.add_listeners([Listener(4)])
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            while not session.should_stop():
                session.run(self.train)
        around = [(when, step) for step in (0, 2, 4) for when in ["before"] * 2 + ["after"] * 2]
        begins = [("begin", 9), ("begin", 4)]
        self.assertEqual(calls, [*begins, *around, ("end", 4), ("end", 4)])

    def test_a_saver_that_saves_nothing_leaves_no_graph(self):
        class Never(tf.train.Saver):
            def save(self, sess, save_path, global_step=None, **options):
                return None

        self.run_steps(1, scaffold=tf.train.Scaffold(saver=Never()))
        self.assertEqual(self.files(".meta"), [])
        self.assertEqual(self.files(".pbtxt"), [])

    def test_a_saver_that_is_not_built_yet_is_built(self):
        scaffold = tf.train.Scaffold(saver=tf.train.Saver(defer_build=True))
        self.run_steps(1, scaffold=scaffold)
        self.assertEqual(tf.train.latest_checkpoint(self.folder), self.prefix + "-1")

    def test_graphs_that_cannot_be_written_are_the_error_of_the_step(self):
        self.run_steps(0, save_checkpoint_steps=None, save_checkpoint_secs=None)
        os.makedirs(self.prefix + "-0.meta")
        with self.assertRaises(IsADirectoryError):
            self.run_steps(1)


if __name__ == "__main__":
    unittest.main()
