"""SyncReplicasOptimizer in one process."""

import threading
import unittest

import troupe as tf


def make_replica(required, total, hook_of_chief, server):
    """The graph of a replica whose gradient is 1, and its session."""
    graph = tf.Graph()
    with graph.as_default():
        w = tf.get_variable("w", initializer=0.0)
        global_step = tf.train.get_or_create_global_step()
        optimizer = tf.train.SyncReplicasOptimizer(
            tf.train.GradientDescentOptimizer(1.0), required, total
        )
        train = optimizer.minimize(w, global_step=global_step)
        hook = optimizer.make_session_run_hook(hook_of_chief, num_tokens=total)
        session = tf.train.MonitoredTrainingSession(
            server.target, is_chief=hook_of_chief, hooks=[hook], stop_grace_period_secs=1
        )
    return session, train, w, global_step


class SyncReplicasTest(tf.test.TestCase):
    def test_an_update_takes_the_mean_of_what_the_replicas_compute(self):
        server = tf.train.Server.create_local_server()
        chief, train, w, global_step = make_replica(2, 3, True, server)
        other, other_train, *_ = make_replica(2, 3, False, server)
        chief.run(train)
        other.run(other_train)
        # Only now are there as many gradients as an update takes.
        while chief.run(global_step) < 1:
            pass
        self.assertEqual(chief.run(w), -1.0)
        chief.run(train)  # of the first step: it comes too late
        self.assertEqual(chief.run([w, global_step]), [-1.0, 1])

        def run_some():
            for _ in range(6):
                other.run(other_train)

        thread = threading.Thread(target=run_some, daemon=True)
        thread.start()
        for _ in range(4):
            chief.run(train)
        thread.join(60)
        weight, step = chief.run([w, global_step])
        self.assertEqual(weight, -step)
        self.assertGreater(step, 1)
        server.stop()

    def test_a_global_step_of_int32_counts_as_well(self):
        w = tf.get_variable("w", initializer=0.0)
        global_step = tf.Variable(0, name="global_step", trainable=False)
        optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(1.0), 1)
        train = optimizer.minimize(w, global_step=global_step)
        hooks = [optimizer.make_session_run_hook(True), tf.train.StopAtStepHook(last_step=3)]
        with tf.train.MonitoredTrainingSession(hooks=hooks, stop_grace_period_secs=1) as session:
            while not session.should_stop():
                weight = session.run([train, w])[1]
        self.assertLess(weight, 0.0)

    def test_the_wrapped_optimizer_has_the_slots(self):
        v = tf.Variable([0.0], name="v")
        optimizer = tf.train.SyncReplicasOptimizer(tf.train.MomentumOptimizer(0.1, 0.9), 1)
        step = tf.train.get_or_create_global_step()
        optimizer.minimize(v, global_step=step)
        self.assertEqual(optimizer.get_slot_names(), ["momentum"])
        slot = optimizer.get_slot(v, "momentum")
        self.assertEqual(slot.name, "v/Momentum:0")
        self.assertIn(slot, optimizer.variables())

    def test_what_is_missing_is_an_error(self):
        optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), 3, 1)
        v = tf.Variable(1.0)
        for call in (optimizer.get_chief_queue_runner, optimizer.get_init_tokens_op):
            with self.assertRaisesRegex(ValueError, "after apply_gradients"):
                call()
        with self.assertRaisesRegex(ValueError, "apply_gradient should be called"):
            optimizer.make_session_run_hook(True).begin()
        with self.assertRaisesRegex(ValueError, "Global step is required"):
            optimizer.minimize(v)
        with self.assertRaisesRegex(ValueError, "at least one variable"):
            optimizer.apply_gradients([], tf.train.get_or_create_global_step())
        optimizer.minimize(v, global_step=tf.train.get_or_create_global_step())
        with self.assertRaisesRegex(ValueError, "Too few tokens to finish the first step: 1"):
            optimizer.get_init_tokens_op(1)


if __name__ == "__main__":
    unittest.main()
