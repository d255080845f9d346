"""A worker that trains a classifier of handwritten digits on a running cluster.

digits.py --target troupe://localhost:2223 --task 0 --workers 2 [--checkpoints FOLDER]

With --aggregate N the workers train synchronously: an update is by the mean of N gradients. With
more workers than that the others are backups, so it goes on when one is lost.
"""

import argparse
import gzip
import itertools
import pathlib

import numpy as np

import troupe as tf

DATA = pathlib.Path(__file__).parents[3] / "apps/digits/data/digits.csv.gz"

parser = argparse.ArgumentParser()
parser.add_argument("--target", required=True, help="the node of this worker")
parser.add_argument("--task", type=int, default=0)
parser.add_argument("--workers", type=int, default=1)
parser.add_argument("--ps", type=int, default=1)
parser.add_argument("--epochs", type=int, default=30)
parser.add_argument("--seed", type=int, default=6, help="for held-out rows, weights and batches")
parser.add_argument("--checkpoints")
parser.add_argument("--aggregate", type=int, default=0, help="gradients of a synchronous update")
args = parser.parse_args()

rows = np.loadtxt(gzip.open(DATA, "rt"), delimiter=",", dtype=np.int64)
np.random.default_rng(args.seed).shuffle(rows)
held_out, shard = rows[:359], rows[359 + args.task :: args.workers]


def dense(x, width, name):
    with tf.variable_scope(name):
        initializer = tf.random_normal_initializer(
            stddev=(2 / int(x.shape[1])) ** 0.5, seed=args.seed
        )
        weights = tf.get_variable("weights", [x.shape[1], width], initializer=initializer)
        biases = tf.get_variable("biases", [width], initializer=tf.zeros_initializer())
        return tf.matmul(x, weights) + biases


worker = f"/job:worker/task:{args.task}"
with tf.device(tf.train.replica_device_setter(args.ps, worker_device=worker)):
    images = tf.placeholder(tf.float32, [None, 64])
    labels = tf.placeholder(tf.int64, [None])
    logits = dense(tf.nn.relu(dense(images, 128, "hidden")), 10, "output")
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    correct = tf.equal(tf.argmax(logits, 1), labels)
    global_step = tf.train.get_or_create_global_step()
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    if args.aggregate:
        optimizer = tf.train.SyncReplicasOptimizer(optimizer, args.aggregate, args.workers)
    train = optimizer.minimize(loss, global_step)

is_chief = args.task == 0
hooks = [optimizer.make_session_run_hook(is_chief)] if args.aggregate else []
# A synchronous training ends after so many updates of all, an asynchronous one of each by itself.
updates = args.epochs * len(rows[359:]) // (32 * args.aggregate) if args.aggregate else None


def batches():
    epochs = itertools.count() if args.aggregate else range(args.epochs)
    for _ in epochs:
        random.shuffle(shard)
        yield from np.split(shard, range(32, len(shard), 32))


random = np.random.default_rng([args.seed, args.task])
with tf.train.MonitoredTrainingSession(
    args.target,
    is_chief=is_chief,
    checkpoint_dir=args.checkpoints,
    save_checkpoint_steps=200,
    hooks=hooks,
    stop_grace_period_secs=20,
) as session:
    print("trains", flush=True)
    for batch in batches():
        if updates is not None and session.run(global_step) >= updates:
            break
        feeds = {images: batch[:, :64] / 16, labels: batch[:, 64]}
        _, last_loss = session.run([train, loss], feeds)
    hits = session.run(correct, {images: held_out[:, :64] / 16, labels: held_out[:, 64]})
    print(f"steps {session.run(global_step)} loss {last_loss:.4f} accuracy {hits.mean():.4f}")
