"""An estimator whose chief, worker, parameter server and evaluator are processes of one program."""

import glob
import json
import re
import tempfile
import unittest

from nodes import finish, free_ports, start_program

import troupe as tf

JOBS = ("chief", "worker", "ps", "evaluator")


class EstimatorTest(unittest.TestCase):
    def test_a_cluster_trains_and_its_evaluator_evaluates_and_exports_the_last_checkpoint(self):
        addresses = [f"127.0.0.1:{port}" for port in free_ports(3)]
        cluster = {job: [address] for job, address in zip(JOBS, addresses)}
        with tempfile.TemporaryDirectory() as folder:
            tasks = {
                job: start_program(
                    "estimator_task.py",
                    folder,
                    TF_CONFIG=json.dumps({"cluster": cluster, "task": {"type": job, "index": 0}}),
                )
                for job in JOBS
            }
            self.addCleanup(tasks["ps"].kill)
            for job in ("chief", "worker"):
                self.assertEqual(finish(tasks[job]), f"{job} 0 done")
            out, errors = tasks["evaluator"].communicate(timeout=120)
            self.assertEqual(out.strip(), "evaluator 0 done", errors)
            steps = [int(step) for step in re.findall(r"dict for global step (\d+)", errors)]
            self.assertGreaterEqual(steps[-1], 300)
            loss = float(re.findall(r"loss = ([0-9.e-]+)", errors)[-1])
            self.assertLess(loss, 0.05)
            self.check_export(f"{folder}/export/final/*")
            tf.train.stop_server("troupe://" + cluster["ps"][0])
            self.assertEqual(finish(tasks["ps"]), "ps 0 done")

    def check_export(self, pattern):
        """The only export computes 2 a - 3 b."""
        (path,) = glob.glob(pattern)
        with tf.Session(graph=tf.Graph()) as session:
            signature = tf.saved_model.load(session, ["serve"], path).signature_def
            predict = signature["serving_default"]
            feeds = {predict.inputs["rows"].name: [[1.0, 0.0], [0.0, 1.0]]}
            (first,), (second,) = session.run(predict.outputs["y"].name, feeds)
        self.assertAlmostEqual(first, 2.0, delta=0.5)
        self.assertAlmostEqual(second, -3.0, delta=0.5)


if __name__ == "__main__":
    unittest.main()
