"""Resolvers that ask Slurm, Kubernetes and Compute Engine, by stand-ins for these."""

import os
import stat
import tempfile
from types import SimpleNamespace
from unittest import mock

import troupe as tf

RESOLVERS = tf.distribute.cluster_resolver


class Pods:
    """A client of Kubernetes with two pods for each selector."""

    def __init__(self, phase="Running"):
        self.phase = phase

    def list_pod_for_all_namespaces(self, label_selector):
        names = [f"{number}{label_selector}" for number in "31"]
        return SimpleNamespace(items=[self.pod(name) for name in names])

    def pod(self, name):
        return SimpleNamespace(
            metadata=SimpleNamespace(name=name),
            status=SimpleNamespace(phase=self.phase, host_ip=f"10.0.{ord(name[1]) - 97}.{name[0]}"),
        )


class Compute:
    """A service with two pages of instances."""

    def __init__(self):
        self.pages = [["https://x/b", "https://x/a"], ["c"]]

    def instanceGroups(self):  # noqa: N802: its name there
        return SimpleNamespace(listInstances=self.list, listInstances_next=self.list)

    def list(self, **_):
        if not self.pages:
            return None
        items = [{"instance": name} for name in self.pages.pop(0)]
        return SimpleNamespace(execute=lambda: {"items": items})

    def instances(self):
        return self

    def get(self, project, zone, instance):
        found = {"networkInterfaces": [{"networkIP": f"10.1.{instance}"}]}
        return SimpleNamespace(execute=lambda: found)


class ManagedResolversTest(tf.test.TestCase):
    def slurm(self, jobs, rank=4, count=6, **arguments):
        folder = tempfile.mkdtemp()
        path = os.path.join(folder, "scontrol")
        with open(path, "w") as file:
            file.write("#!/bin/sh\nprintf 'h1\\nh2\\nh3\\n'\n")
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        environment = {
            "PATH": f"{folder}:{os.environ['PATH']}", "SLURM_PROCID": str(rank),
            "SLURM_NTASKS": str(count), "CUDA_VISIBLE_DEVICES": "",
        }  # fmt: skip
        self.enter_context(mock.patch.dict(os.environ, environment))
        return RESOLVERS.SlurmClusterResolver(jobs, **arguments)

    def test_slurm_tells_hosts_jobs_and_cards(self):
        resolver = self.slurm(
            {"worker": 4, "ps": 2}, tasks_per_node=2, gpus_per_node=4, gpus_per_task=2
        )
        self.assertEqual(resolver.get_task_info(), (None, None))
        self.assertEqual(resolver.master(), "")
        cluster = resolver.cluster_spec().as_dict()
        self.assertEqual(cluster["ps"], ["h1:8888", "h1:8889"])
        self.assertEqual(cluster["worker"], ["h2:8888", "h2:8889", "h3:8888", "h3:8889"])
        self.assertEqual(resolver.get_task_info(), ("worker", 2))
        self.assertEqual(resolver.master(), "grpc://h3:8888")
        self.assertEqual(os.environ["CUDA_VISIBLE_DEVICES"], "0,1")
        self.assertEqual(resolver.num_accelerators(), {"GPU": 4})

    def test_a_step_of_slurm_must_fit(self):
        for why, jobs, arguments in (
            ("tasks_per_node", {"worker": 6}, {}),
            ("more GPUs", {"worker": 6}, {"tasks_per_node": 2}),
            ("more tasks", {"worker": 5}, {"tasks_per_node": 1}),
        ):
            with self.assertRaisesRegex(RuntimeError, why):
                self.slurm(jobs, **arguments)

    def test_pods_are_tasks(self):
        labels = {"worker": ["a", "b"], "ps": ["c"]}
        resolver = RESOLVERS.KubernetesClusterResolver(labels, override_client=Pods())
        self.assertEqual(resolver.master(), "")
        resolver.task_type, resolver.task_id = "worker", 1
        self.assertEqual(resolver.master(), "grpc://10.0.0.3:8470")
        self.assertEqual(resolver.master("ps", 0, "x"), "x://10.0.2.1:8470")
        with self.assertRaisesRegex(RuntimeError, 'not running; phase: "Pending"'):
            RESOLVERS.KubernetesClusterResolver(
                {"ps": ["a"]}, override_client=Pods("Pending")
            ).cluster_spec()

    def test_instances_are_tasks(self):
        def resolver(**arguments):
            return RESOLVERS.GCEClusterResolver(
                "project", "zone", "group", 8470, service=Compute(), **arguments
            )

        found = resolver().cluster_spec().as_dict()
        self.assertEqual(found, {"worker": ["10.1.a:8470", "10.1.b:8470", "10.1.c:8470"]})
        self.assertEqual(resolver(task_id=1, task_type="q").master(), "grpc://10.1.b:8470")
        with self.assertRaisesRegex(RuntimeError, "cannot reset the task_type"):
            resolver().task_type = "other"

    def test_packages_that_are_missing_are_named(self):
        with mock.patch.dict("sys.modules", {"kubernetes": None, "googleapiclient": None}):
            with self.assertRaisesRegex(ImportError, "package kubernetes"):
                RESOLVERS.KubernetesClusterResolver()
            with self.assertRaisesRegex(ImportError, "google-api-python-client"):
                RESOLVERS.GCEClusterResolver("project", "zone", "group", 1)


if __name__ == "__main__":
    tf.test.main()
