"""Trains a convolutional network on a parameter server and two workers, one of which is killed.

cnn.py --folder FOLDER [--steps 400]

Without a TF_CONFIG the program is the launcher: it writes the digits of apps/digits as record
files, starts the tasks of a cluster on this machine, each a process of this program, kills the
second worker on the way, starts it again, and at the end evaluates the last checkpoint. The loss
is in `tensorboard --logdir FOLDER/model`.

With a TF_CONFIG it is the task that the variable names, as on a cluster of machines.
"""

import argparse
import glob
import gzip
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

import numpy as np

import troupe as tf

DATA = pathlib.Path(__file__).parents[3] / "apps/digits/data/digits.csv.gz"
HELD_OUT = 359
SIDE, CLASSES, SHARDS = 8, 10, 4

parser = argparse.ArgumentParser()
parser.add_argument("--folder", required=True, help="for records, checkpoints and summaries")
parser.add_argument("--steps", type=int, default=400)
parser.add_argument("--batch-size", type=int, default=32)
parser.add_argument("--rate", type=float, default=0.002)
parser.add_argument("--seed", type=int, default=6)
args = parser.parse_args()

MODEL = os.path.join(args.folder, "model")
RECORDS = os.path.join(args.folder, "records")


# The data: records of examples, with the pixels as bytes.


def bytes_feature(value):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


def int64_feature(value):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))


def write_records():
    """Writes the digits into files: "test", and "train-0" and so on, in turn."""
    rows = np.loadtxt(gzip.open(DATA, "rt"), delimiter=",", dtype=np.uint8)
    np.random.default_rng(args.seed).shuffle(rows)
    os.makedirs(RECORDS, exist_ok=True)
    parts = {"test": rows[:HELD_OUT]}
    for shard in range(SHARDS):
        parts[f"train-{shard}"] = rows[HELD_OUT + shard :: SHARDS]
    for name, part in parts.items():
        with tf.python_io.TFRecordWriter(os.path.join(RECORDS, name)) as writer:
            for row in part:
                pixels, label = row[:-1].tobytes(), int(row[-1])
                feature = {"pixels": bytes_feature(pixels), "label": int64_feature(label)}
                example = tf.train.Example(features=tf.train.Features(feature=feature))
                writer.write(example.SerializeToString())


# The input pipeline.


def parse(serialized):
    """The image, [8, 8, 1] from 0 to 1, and the label of an example."""
    features = {
        "pixels": tf.FixedLenFeature([], tf.string),
        "label": tf.FixedLenFeature([], tf.int64),
    }
    example = tf.parse_single_example(serialized, features)
    pixels = tf.reshape(tf.decode_raw(example["pixels"], tf.uint8), [SIDE, SIDE, 1])
    return tf.cast(pixels, tf.float32) / 16.0, example["label"]


def shift(image, label):
    """The image moved by a pixel at most, so that no two epochs show the same."""
    padded = tf.pad(image, [[1, 1], [1, 1], [0, 0]])
    return tf.random_crop(padded, [SIDE, SIDE, 1]), label


def training_batches(task, workers):
    """Images and labels from this worker's files, without end."""
    names = sorted(glob.glob(os.path.join(RECORDS, "train-*")))[task::workers]
    dataset = (
        tf.data.TFRecordDataset(names)
        .shuffle(500, seed=args.seed + task)
        .repeat()
        .map(parse, num_parallel_calls=2)
        .map(shift, num_parallel_calls=2)
        .batch(args.batch_size, drop_remainder=True)
        .prefetch(4)
    )
    return dataset.make_one_shot_iterator().get_next()


def test_batch():
    dataset = tf.data.TFRecordDataset(os.path.join(RECORDS, "test")).map(parse).batch(HELD_OUT)
    return dataset.make_one_shot_iterator().get_next()


# The model.


def convolution(inputs, filters, name):
    """A layer of filters, of which it keeps the maxima of 2 x 2 places."""
    with tf.variable_scope(name):
        found = tf.layers.conv2d(
            inputs,
            filters,
            kernel_size=3,
            padding="same",
            activation=tf.nn.relu,
            kernel_initializer=tf.glorot_uniform_initializer(seed=args.seed),
        )
        return tf.layers.max_pooling2d(found, pool_size=2, strides=2)


def network(images, training):
    """The logits of images."""
    first = convolution(images, 32, "first")
    second = convolution(first, 64, "second")
    hidden = tf.layers.dense(tf.layers.flatten(second), 128, tf.nn.relu, name="hidden")
    kept = tf.layers.dropout(hidden, rate=0.3, training=training)
    return tf.layers.dense(kept, CLASSES, name="logits")


def accuracy_of(logits, labels):
    hits = tf.equal(tf.argmax(logits, 1), labels)
    return tf.reduce_mean(tf.cast(hits, tf.float32))


def add_summaries(images, loss, accuracy):
    """The curves, some images and the spread of the weights; the session writes them."""
    tf.summary.scalar("loss", loss)
    tf.summary.scalar("accuracy", accuracy)
    tf.summary.image("digits", images, max_outputs=4)
    for variable in tf.trainable_variables():
        tf.summary.histogram(variable.op.name, variable)


# The tasks of the cluster.


def serve(cluster, task):
    """A parameter server: has the variables until the launcher ends it."""
    tf.train.Server(cluster, job_name="ps", task_index=task).join()


class Progress(tf.train.SessionRunHook):
    """Prints the global step and the loss now and then; the launcher waits for it."""

    def __init__(self, loss, every=20):
        self._loss, self._every, self._next = loss, every, 0

    def before_run(self, run_context):
        return tf.train.SessionRunArgs([tf.train.get_global_step(), self._loss])

    def after_run(self, run_context, run_values):
        step, loss = run_values.results
        if step >= self._next:
            self._next = step + self._every
            print(f"step {step} loss {loss:.4f}", flush=True)


def work(cluster, task):
    """A worker: trains until the last step of all; the first one saves and summarizes."""
    server = tf.train.Server(cluster, job_name="worker", task_index=task)
    place = f"/job:worker/task:{task}"
    setter = tf.train.replica_device_setter(cluster=cluster, worker_device=place)
    tf.set_random_seed(args.seed + task)
    with tf.device(setter):
        images, labels = training_batches(task, cluster.num_tasks("worker"))
        global_step = tf.train.get_or_create_global_step()
        logits = network(images, training=True)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        accuracy = accuracy_of(logits, labels)
        rate = tf.train.exponential_decay(args.rate, global_step, args.steps, 0.1)
        train = tf.train.AdamOptimizer(rate).minimize(loss, global_step)
        add_summaries(images, loss, accuracy)
    hooks = [
        tf.train.StopAtStepHook(last_step=args.steps),
        tf.train.NanTensorHook(loss),
        Progress(loss),
    ]
    # What another worker does, or that it is gone, is of no interest to this one's session.
    config = tf.ConfigProto(device_filters=["/job:ps", place])
    with tf.train.MonitoredTrainingSession(
        server.target,
        is_chief=task == 0,
        checkpoint_dir=MODEL,
        hooks=hooks,
        config=config,
        save_checkpoint_steps=100,
        save_summaries_steps=20,
        max_wait_secs=60,
    ) as session:
        while not session.should_stop():
            session.run(train)
    print("done", flush=True)


def run_task(tf_config):
    """Does what the task of TF_CONFIG does."""
    cluster = tf.train.ClusterSpec(tf_config["cluster"])
    job, index = tf_config["task"]["type"], int(tf_config["task"]["index"])
    (serve if job == "ps" else work)(cluster, index)


# The launcher.


def free_ports(count):
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def start(cluster, job, index):
    """A process of this program for a task."""
    role = json.dumps({"cluster": cluster, "task": {"type": job, "index": index}})
    return subprocess.Popen(
        [sys.executable, *sys.argv],
        env={**os.environ, "TF_CONFIG": role},
        stdout=subprocess.PIPE,
        text=True,
    )


def wait_for_step(worker, wanted):
    """Reads what a worker prints until it has come to a step."""
    for line in worker.stdout:
        if line.startswith("step") and int(line.split()[1]) >= wanted:
            return
    raise RuntimeError("a worker has ended too early")


def launch():
    """Runs the cluster; the second worker is killed at a third of the steps."""
    shutil.rmtree(args.folder, ignore_errors=True)
    write_records()
    ps, first, second = (f"127.0.0.1:{port}" for port in free_ports(3))
    cluster = {"ps": [ps], "worker": [first, second]}
    began = time.monotonic()
    server = start(cluster, "ps", 0)
    workers = [start(cluster, "worker", index) for index in range(2)]
    try:
        wait_for_step(workers[1], args.steps // 3)
        workers[1].send_signal(signal.SIGKILL)
        workers[1].wait()
        print("killed worker 1 and started it again")
        workers[1] = start(cluster, "worker", 1)
        for worker in workers:
            output, _ = worker.communicate()
            if worker.returncode != 0 or not output.endswith("done\n"):
                raise RuntimeError("a worker has failed")
    finally:
        for process in (server, *workers):
            process.kill()
            process.wait()
    print(f"{args.steps} steps in {time.monotonic() - began:.0f} s")


def evaluate():
    """The share of digits that the last checkpoint reads, of those that were held out."""
    images, labels = test_batch()
    accuracy = accuracy_of(network(images, training=False), labels)
    path = tf.train.latest_checkpoint(MODEL)
    with tf.Session() as session:
        tf.train.Saver().restore(session, path)
        print(f"accuracy {session.run(accuracy):.4f} of {path}")


if __name__ == "__main__":
    config = json.loads(os.environ.get("TF_CONFIG") or "{}")
    if config:
        run_task(config)
    else:
        launch()
        evaluate()
