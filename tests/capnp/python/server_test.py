"""Servers in this process: cluster definitions, and resources that sessions share."""

import os
import socket
import sys
import threading
import unittest
from unittest import mock

import troupe as tf
from troupe.train.cluster import role_from_tf_config


class ClusterSpecTest(unittest.TestCase):
    def test_jobs_have_their_tasks_by_index(self):
        spec = tf.train.ClusterSpec({"ps": ["p0:1", "p1:2"], "worker": {1: "w:3", 3: "w:4"}})
        self.assertEqual(spec.as_dict(), {"ps": ["p0:1", "p1:2"], "worker": {1: "w:3", 3: "w:4"}})
        self.assertEqual(spec.jobs, ["ps", "worker"])
        self.assertEqual(spec.num_tasks("worker"), 2)
        self.assertEqual(spec.task_indices("worker"), [1, 3])
        self.assertEqual(spec.job_tasks("worker"), [None, "w:3", None, "w:4"])
        self.assertEqual(spec.task_address("ps", 1), "p1:2")
        with self.assertRaisesRegex(ValueError, "ps, worker"):
            spec.num_tasks("chief")

    def test_a_cluster_equals_one_that_is_written_otherwise(self):
        as_list = tf.train.ClusterSpec({"ps": ["a:1"]})
        self.assertEqual(as_list, tf.train.ClusterSpec({"ps": {0: "a:1"}}))
        self.assertEqual(as_list, tf.train.ClusterSpec("ps=a:1"))
        self.assertEqual(as_list, tf.train.ClusterSpec(as_list))
        self.assertFalse(tf.train.ClusterSpec({}))

    def test_what_is_no_cluster_is_a_type_error(self):
        for wrong in (5, {"ps": "a:1"}, {"ps": [1]}, {1: ["a:1"]}):
            with self.assertRaises(TypeError):
                tf.train.ClusterSpec(wrong)


class RoleTest(unittest.TestCase):
    def test_tf_config_gives_each_machine_its_role(self):
        cluster = {"chief": ["c:1"], "ps": ["p:1"], "worker": ["w:1", "w:2"]}
        role = role_from_tf_config({"cluster": cluster, "task": {"type": "worker", "index": 1}})
        self.assertEqual([role.task_type, role.task_id], ["worker", 1])
        self.assertFalse(role.is_chief or role.is_ps)
        self.assertEqual([role.num_ps_replicas, role.num_worker_replicas], [1, 3])
        self.assertEqual(role.server_def.job_name, "worker")

    def test_without_one_a_program_is_its_own_chief(self):
        with mock.patch.dict(os.environ, {"TF_CONFIG": ""}):
            role = role_from_tf_config()
        self.assertTrue(role.is_chief)
        self.assertFalse(role.cluster)

    def test_an_error_names_the_key(self):
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "cluster.ps is 5"):
            role_from_tf_config('{"cluster": {"ps": 5}}')


class ServerTest(tf.test.TestCase):
    def test_the_task_may_be_left_out_where_there_is_one(self):
        server = tf.train.Server({"worker": ["localhost:0"]})
        self.assertEqual([server.server_def.job_name, server.server_def.task_index], ["worker", 0])
        self.assertRegex(server.target, r"^troupe://localhost:\d+$")
        self.assertNotIn(":0'", repr(server.server_def.cluster))
        with tf.Session(server.target) as session:
            self.assertEqual(session.run((tf.constant(1.0) + 0.0) * 3.0), 3)
        server.stop()

    def test_an_explicit_argument_wins_over_the_definition(self):
        cluster = {"worker": ["localhost:1", "localhost:2"]}
        definition = tf.train.ServerDef(cluster, "worker", 0)
        server = tf.train.Server(definition, task_index=1, start=False)
        self.assertEqual(server.server_def.task_index, 1)

    def test_a_definition_that_names_no_task_is_a_value_error(self):
        cluster = {"ps": ["localhost:1"], "worker": ["localhost:2", "localhost:3"]}
        for arguments in ({}, {"job_name": "worker"}, {"job_name": "worker", "task_index": 2}):
            with self.assertRaises(ValueError):
                tf.train.Server(cluster, **arguments)
        with self.assertRaises(TypeError):
            tf.train.Server(5)

    def test_a_port_that_the_system_chooses_is_refused_for_another_task(self):
        cluster = {"ps": ["localhost:0"], "worker": ["localhost:0"]}
        with self.assertRaisesRegex(ValueError, "/job:ps/task:0 .*localhost:0"):
            tf.train.Server(cluster, job_name="worker")

    def test_an_idle_server_stops_within_no_time(self):
        tf.train.Server.create_local_server().stop(0)

    def test_a_target_may_be_written_as_grpc(self):
        server = tf.train.Server.create_local_server()
        with tf.Session(server.target.replace("troupe://", "grpc://")) as session:
            self.assertEqual(session.run(tf.constant(1)), 1)
        server.stop()

    def test_a_restarted_server_has_no_variables(self):
        v = tf.Variable(1.0, name="v")
        server = tf.train.Server.create_local_server(start=False)
        for _ in range(2):
            server.start()
            with tf.Session(server.target) as session:
                self.assertFalse(session.run(tf.is_variable_initialized(v)))
                session.run(v.initializer)
            server.stop()
            server.join()

    def test_a_server_serves_on_after_its_object_is_dropped(self):
        target = tf.train.Server.create_local_server().target
        with tf.Session(target) as session:
            self.assertEqual(session.run(tf.constant(1)), 1)
        tf.train.stop_server(target)

    def test_a_session_whose_config_sets_threads_logs_a_warning(self):
        server = tf.train.Server.create_local_server()
        config = tf.ConfigProto(intra_op_parallelism_threads=1)
        with tf.Session(server.target, config=config) as session:
            with self.assertLogs("troupe", "WARNING") as logs:
                session.run(tf.constant(1))
        self.assertIn("threads has no effect", logs.output[0])
        server.stop()


class SharingTest(tf.test.TestCase):
    """Clients of two servers that form a cluster."""

    def setUp(self):
        super().setUp()
        workers, _ = tf.test.create_local_cluster(2, 0)
        self.servers = workers
        self.a, self.b = (server.target for server in workers)

    def tearDown(self):
        for server in self.servers:
            server.stop(1)
        super().tearDown()

    def client(self, target, container=""):
        """A client's own graph and session: it shares a counter through some node."""
        graph = tf.Graph()
        with graph.as_default(), tf.container(container):
            x = tf.Variable(0.0, name="x")
            bump = tf.assign(x, x + 1.0)
        session = tf.Session(target, graph=graph)
        self.addCleanup(session.close)
        return session, x, bump

    def test_a_counter_made_through_one_node_goes_on_through_another(self):
        one, x, bump = self.client(self.a)
        other, _, other_bump = self.client(self.b)
        one.run(x.initializer)
        self.assertEqual(one.run(bump), 1)
        self.assertEqual(other.run(other_bump), 2)

    def test_local_variables_are_the_programs_own(self):
        values = []
        for target in (self.a, self.b):
            with tf.Graph().as_default(), tf.Session(target) as session:
                mine = tf.get_local_variable("mine", [], initializer=tf.zeros_initializer())
                tf.get_variable("ours", initializer=0.0)
                left = tf.report_uninitialized_variables()
                values.append(sorted(session.run(left)))
                session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
                values.append(session.run(mine.assign_add(1.0)))
        self.assertEqual(values, [[b"mine", b"ours"], 1, [b"mine"], 1])

    def test_a_job_may_have_no_tasks(self):
        self.assertEqual(self.servers[0].server_def.cluster.num_tasks("ps"), 0)
        session, x, bump = self.client(self.a)
        session.run(x.initializer)
        self.assertEqual(session.run(bump), 1)

    def test_variables_of_a_local_session_are_lost_and_those_of_a_cluster_are_kept(self):
        v = tf.Variable(1.0, name="v")
        bump = v.assign_add(1.0)
        for _ in range(2):
            with tf.Session() as session:
                session.run(v.initializer)
                self.assertEqual(session.run(bump), 2)
        with tf.Session(self.a) as session:
            session.run(v.initializer)
        with tf.Session(self.a) as session:
            self.assertEqual(session.run(bump), 2)

    def test_clients_share_the_variables_of_their_container_only(self):
        clients = [
            self.client(target, container)
            for container in ("", "my_problem_1")
            for target in (self.a, self.b)
        ]
        for session, x, _ in clients[::2]:
            session.run(x.initializer)
        counts = [session.run(bump) for session, _, bump in clients]
        self.assertEqual(counts, [1, 2, 1, 2])

    def test_a_reset_frees_a_container_and_leaves_the_others(self):
        kept, x, bump = self.client(self.b)
        lost, y, lost_bump = self.client(self.a, "my_problem_1")
        kept.run([x.initializer, y.initializer][:1])
        lost.run(y.initializer)
        tf.Session.reset(self.a, ["my_problem_1"])
        self.assertEqual(kept.run(bump), 1)
        with self.assertRaises(tf.errors.OpError):
            lost.run(lost_bump)
        again, z, again_bump = self.client(self.a, "my_problem_1")
        with self.assertRaises(tf.errors.FailedPreconditionError):
            again.run(again_bump)
        again.run(z.initializer)
        self.assertEqual(again.run(again_bump), 1)

    def test_a_reset_of_a_container_that_holds_nothing_warns(self):
        held, x, _ = self.client(self.a, "my_problem_1")
        held.run(x.initializer)
        with self.assertLogs("troupe", "WARNING") as logged:
            tf.Session.reset(self.b, ["my_problme_1"])
        (line,) = logged.output
        self.assertIn("The container 'my_problme_1' held nothing", line)
        self.assertIn("'my_problem_1'", line)

    def test_a_session_that_a_reset_closed_names_the_container_and_the_mend(self):
        closed, x, bump = self.client(self.a, "my_problem_1")
        closed.run(x.initializer)
        tf.Session.reset(self.b, ["my_problem_1"])
        why = "closed by a reset of its container 'my_problem_1': open another"
        with self.assertRaisesRegex(tf.errors.AbortedError, why):
            closed.run(bump)
        closed.close()

    def test_sessions_on_two_servers_run_partitions_on_each_other(self):
        with tf.device("/job:worker/task:0"):
            a = tf.constant(1.0)
        with tf.device("/job:worker/task:1"):
            b = a + 1.0
        with tf.device("/job:worker/task:0"):
            c = b * 2.0
        with tf.Session(self.a) as one, tf.Session(self.b) as other:
            for _ in range(10):
                self.assertEqual([one.run(c), other.run(c)], [4, 4])
            self.assertEqual(len(one.list_devices()), 2)

    def test_the_resources_of_a_cluster_are_listed_with_their_places(self):
        server = tf.train.Server.create_local_server()
        with tf.Graph().as_default(), tf.Session(server.target) as session:
            variable = tf.get_variable("listed", [2, 3])
            session.run(variable.initializer)
        (found,) = tf.Session.list_resources(server.target)
        self.assertEqual((found.name, found.kind, found.dtype), ("listed", "variable", tf.float32))
        self.assertEqual(found.device, "/job:local/task:0/device:CPU:0")
        self.assertEqual((found.shape.as_list(), found.size_in_bytes), ([2, 3], 24))
        server.stop(0)

    def test_the_sessions_of_a_cluster_are_listed_with_who_opened_them(self):
        server = tf.train.Server.create_local_server()
        with tf.Graph().as_default(), tf.Session(server.target) as session:
            self.assertEqual(session.run(tf.constant(1) + 2), 3)
            (found,) = tf.Session.list_sessions(server.target)
        self.assertEqual((found.master, found.runner), ("/job:local/task:0", ""))
        program = os.path.basename(sys.argv[0])
        self.assertTrue(found.client.startswith(f"{program} (process {os.getpid()}) of "), found)
        self.assertEqual((found.nodes, found.steps, found.running_steps), (3, 1, 0))
        self.assertEqual(tf.Session.list_sessions(server.target), [])
        server.stop(0)

    def test_the_list_of_resources_tells_how_a_queue_is_used(self):
        server = tf.train.Server.create_local_server()
        with tf.Graph().as_default(), tf.Session(server.target) as session:
            queue = tf.FIFOQueue(2, tf.int32, [[]], shared_name="examples")
            session.run(queue.enqueue_many([[1, 2]]))
            waiting = threading.Thread(target=session.run, args=(queue.enqueue(3, name="put"),))
            waiting.start()
            while True:
                (found,) = tf.Session.list_resources(server.target)
                if found.queue.enqueues.waiting:
                    break
            self.assertEqual(found.queue.capacity, 2)
            self.assertEqual(found.queue.enqueues.elements, 2)
            self.assertGreater(found.queue.enqueues.per_second, 0)
            self.assertIsNone(found.queue.dequeues.idle_in_ms)
            (waiter,) = found.queue.enqueues.waiters
            self.assertTrue(waiter.node.startswith("'put' of step "), waiter)
            session.run(queue.dequeue())
            waiting.join()
            (found,) = tf.Session.list_resources(server.target)
            self.assertEqual(found.queue.enqueues.waiters, ())
            self.assertEqual(found.queue.dequeues.elements, 1)
        server.stop(0)

    def test_a_connection_that_is_refused_for_long_is_logged(self):
        config = tf.ConfigProto(connect_timeout_in_ms=2000)
        with self.assertLogs("troupe", "WARNING") as logged:
            with self.assertRaises(tf.errors.UnavailableError):
                tf.Session.list_resources("troupe://localhost:1", config)
        self.assertIn("cannot connect to localhost:1 yet: Connection refused", logged.output[0])

    def test_a_connection_without_an_answer_is_logged_while_it_is_waited_for(self):
        with socket.socket() as silent, self.assertLogs("troupe", "WARNING") as logged:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            target = f"troupe://127.0.0.1:{silent.getsockname()[1]}"
            with self.assertRaises(tf.errors.UnavailableError):
                tf.Session.list_resources(target, tf.ConfigProto(connect_timeout_in_ms=2000))
        (text,) = logged.output
        self.assertIn(f"connected to {target}, but it has not answered the login yet", text)
        self.assertIn("is it a troupe-node?", text)

    def test_a_lost_task_is_named(self):
        with tf.device("/job:worker/task:1"):
            b = tf.constant(1.0) + 1.0
        with tf.Session(self.a, config=tf.ConfigProto(operation_timeout_in_ms=1000)) as session:
            self.assertEqual(session.run(b), 2)
            self.servers[1].stop(1)
            with self.assertRaisesRegex(tf.errors.OpError, "/job:worker/task:1"):
                session.run(b)


class ReplicasTest(tf.test.TestCase):
    def test_the_setter_places_variables_on_the_parameter_servers_in_turn(self):
        cluster = tf.train.ClusterSpec({"ps": ["a:1", "b:1"], "worker": ["c:1"]})
        with tf.device(tf.train.replica_device_setter(cluster=cluster)):
            devices = [tf.get_variable(name, [1]).device for name in "uvw"]
            self.assertEqual(devices, ["/job:ps/task:0", "/job:ps/task:1", "/job:ps/task:0"])
            self.assertEqual(tf.no_op().device, "/job:worker")
            with tf.device("/cpu:0"):
                self.assertEqual(tf.no_op().device, "/job:worker/device:CPU:0")
            with tf.device("/task:1"):
                self.assertEqual(tf.get_variable("half_pinned", [1]).device, "/job:ps/task:1")
            self.assertEqual(tf.get_variable("next", [1]).device, "/job:ps/task:0")
            with tf.device("/job:ps/task:0"):
                self.assertEqual(tf.get_variable("pinned", [1]).device, "/job:ps/task:0")
        self.assertIsNone(tf.train.replica_device_setter(cluster={"worker": ["c:1"]}))

    def test_replicas_split_over_two_tasks_train_one_model(self):
        workers, ps = tf.test.create_local_cluster(4, 2)
        losses = []
        for replica in range(2):
            graph = tf.Graph()
            with graph.as_default():
                setter = tf.train.replica_device_setter(ps_tasks=2, worker_device="")
                with tf.device(setter):
                    w1 = tf.get_variable("w1", initializer=[[0.5]])
                    w2 = tf.get_variable("w2", initializer=[[0.5]])
                with tf.device(f"/job:worker/task:{2 * replica}"):
                    hidden = tf.matmul([[1.0]], w1)
                with tf.device(f"/job:worker/task:{2 * replica + 1}"):
                    loss = tf.reduce_sum(tf.square(tf.matmul(hidden, w2) - 2.0))
                train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
                init = tf.global_variables_initializer()
            self.assertEqual([w1.device, w2.device], ["/job:ps/task:0", "/job:ps/task:1"])
            with tf.Session(workers[2 * replica].target, graph=graph) as session:
                if replica == 0:
                    session.run(init)
                for _ in range(50):
                    _, value = session.run([train, loss])
                losses.append(float(value))
        self.assertLess(max(losses), 1e-6)
        for server in workers + ps:
            server.stop(1)


if __name__ == "__main__":
    unittest.main()
