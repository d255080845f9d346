"""Type annotations: of the package itself, and in programs that use it."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

import troupe

PACKAGE = pathlib.Path(troupe.__file__).parent
CONFIG = pathlib.Path(__file__).resolve().parents[3] / "capnp/python/pyproject.toml"

PROGRAM = """
    import troupe as tf

    x = tf.placeholder(tf.float32, [None, 2], name="x")
    w = tf.get_variable("w", [2, 1])
    y = tf.nn.relu(tf.matmul(x, w) + 1.0)
    loss = tf.reduce_mean(tf.square(y))
    step = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_or_create_global_step())
    server: tf.train.Server = tf.train.Server.create_local_server()
    with tf.Session(server.target) as session:
        session.run(tf.global_variables_initializer())
        session.run([step, loss], {x: [[1.0, 2.0]]})
    reveal_type(y)
    reveal_type(tf.raw_ops.Neg(x=y))
    reveal_type(step)
    reveal_type(w)
    tf.no_such_name
    tf.train.NoSuchOptimizer
    wrong: int = tf.exp(y)
"""

# What a task of a cluster runs, with types, as a user writes it who checks them.
TASK = """
    import sys
    from typing import Dict, List, Tuple

    import numpy as np
    import troupe as tf

    CLUSTER = tf.train.ClusterSpec({"ps": ["localhost:1"], "worker": ["localhost:2"]})

    def batches(rows: np.ndarray) -> tf.Tensor:
        dataset = tf.data.Dataset.from_tensor_slices({"rows": rows}).shuffle(100).repeat()
        scaled = dataset.map(lambda row: row["rows"] * 2.0).batch(32).prefetch(1)
        batch: tf.Tensor = scaled.make_one_shot_iterator().get_next()
        return batch

    def model(rows: tf.Tensor, labels: tf.Tensor) -> Tuple[tf.Tensor, tf.Operation]:
        hidden = tf.layers.dense(rows, 16, activation=tf.nn.relu)
        logits = tf.layers.dense(tf.layers.dropout(hidden, 0.1), 10)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        loss = tf.reduce_mean(losses)
        optimizer = tf.train.SyncReplicasOptimizer(tf.train.AdagradOptimizer(0.1), 2)
        return loss, optimizer.minimize(loss, tf.train.get_or_create_global_step())

    def run(arguments: List[str]) -> None:
        job, task = arguments[1], int(arguments[2])
        server = tf.train.Server(CLUSTER, job_name=job, task_index=task)
        if job == "ps":
            server.join()
            return
        device = f"/job:{job}/task:{task}"
        with tf.device(tf.train.replica_device_setter(worker_device=device, cluster=CLUSTER)):
            rows = batches(np.zeros([8, 4], np.float32))
            loss, train = model(rows, tf.placeholder_with_default([0] * 8, [None]))
        values: Dict[str, tf.Tensor] = {"loss": loss}
        hooks: List[tf.train.SessionRunHook] = [
            tf.train.StopAtStepHook(last_step=100),
            tf.train.LoggingTensorHook(values, every_n_iter=10),
        ]
        config = tf.ConfigProto(device_filters=["/job:ps", device])
        with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=task == 0, hooks=hooks, config=config
        ) as session:
            reveal_type(session)
            while not session.should_stop():
                session.run(train)

    if __name__ == "__main__":
        run(sys.argv)
"""
# (a statement, what is wrong with it)
WRONG = (
    ('tf.train.Server({"ps": ["localhost:1"]}, task_index="0")', '"task_index" to "Server"'),
    ("tf.train.replica_device_setter(cluster=7)", '"cluster" to "replica_device_setter"'),
    ('tf.train.StopAtStepHook(last_step="100")', '"last_step" to "StopAtStepHook"'),
    ("tf.layers.dense(object(), 16)", 'Argument 1 to "dense"'),
    ('tf.layers.conv2d(tf.zeros([1, 4, 4, 1]), 2, kernel_size="3")', '"kernel_size" to "conv2d"'),
    ("tf.exp({})", 'Argument 1 to "exp"'),
    ("x: int = tf.layers.flatten(tf.zeros([2, 2]))", 'expression has type "Tensor"'),
    ("y: int = tf.train.ClusterSpec({}).job_tasks('ps')", 'expression has type "list[str | None]"'),
)


@unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
class TypingTest(unittest.TestCase):
    def mypy(self, *arguments):
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--cache-dir", PACKAGE.parent / ".mypy", *arguments],
            env={**os.environ, "MYPYPATH": str(PACKAGE.parent)},
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.stderr, "")
        return done.stdout

    def test_the_package_passes_mypy_strict(self):
        self.assertIn("Success", self.mypy("--config-file", CONFIG))

    def mypy_of(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as program:
            program.write(textwrap.dedent(text))
            program.flush()
            return self.mypy("--strict", "--follow-imports", "silent", program.name)

    def test_a_program_sees_the_types_of_public_names(self):
        output = self.mypy_of(PROGRAM)
        self.assertEqual(
            output.count('Revealed type is "troupe._src.graph.elements.Tensor"'), 2, output
        )
        self.assertIn('Revealed type is "troupe._src.graph.elements.Operation"', output)
        self.assertIn('has type "Tensor", variable has type "int"', output)
        self.assertIn('Revealed type is "troupe._src.variables.variable.Variable"', output)
        for missing in ("no_such_name", "NoSuchOptimizer"):
            self.assertIn(f'Module has no attribute "{missing}"', output)
        self.assertIn("Found 3 errors", output)

    def test_a_task_of_a_cluster_with_a_monitored_session_passes_mypy_strict(self):
        output = self.mypy_of(TASK)
        self.assertRegex(output, r'Revealed type is "troupe\.\S+\.MonitoredSession"')
        self.assertIn("Success", output)

    def test_arguments_of_other_types_are_found(self):
        statements = [statement for statement, _ in WRONG]
        lines = self.mypy_of("\n".join(["import troupe as tf", *statements])).splitlines()
        faults = [line for line in lines if "error: " in line]
        for (statement, fault), line in zip(WRONG, faults):
            self.assertIn(fault, line, statement)
        self.assertIn(f"Found {len(WRONG)} errors", lines[-1])


if __name__ == "__main__":
    unittest.main()
