"""A worker that trains a classifier of handwritten digits on a running cluster.

digits.py --target troupe://localhost:2223 --task 0 --workers 2 [--checkpoints FOLDER]
"""

import argparse
import gzip
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
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step)

random = np.random.default_rng([args.seed, args.task])
with tf.train.MonitoredTrainingSession(
    args.target, is_chief=args.task == 0, checkpoint_dir=args.checkpoints, save_checkpoint_steps=200
) as session:
    for _ in range(args.epochs):
        random.shuffle(shard)
        for batch in np.split(shard, range(32, len(shard), 32)):
            feeds = {images: batch[:, :64] / 16, labels: batch[:, 64]}
            _, last_loss = session.run([train, loss], feeds)
    hits = session.run(correct, {images: held_out[:, :64] / 16, labels: held_out[:, 64]})
    print(f"steps {session.run(global_step)} loss {last_loss:.4f} accuracy {hits.mean():.4f}")
