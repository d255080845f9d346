"""Two replicas of a model, each split over two workers, with variables on two parameter servers.

replicas.py TARGET            trains both in one graph: a step applies the mean of their gradients
replicas.py TARGET REPLICA    trains replica 0 or 1, asynchronously with the program of the other
"""

import sys

import numpy as np

import troupe as tf

if "--help" in sys.argv:
    print(__doc__)
    sys.exit()
if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
    sys.exit(__doc__)
target = sys.argv[1]
replicas = [int(sys.argv[2])] if len(sys.argv) > 2 else [0, 1]
steps = 200

with tf.device(tf.train.replica_device_setter(ps_tasks=2, worker_device="")):
    global_step = tf.train.get_or_create_global_step()
    inner = tf.get_variable("inner", [4, 16], initializer=tf.glorot_uniform_initializer(seed=1))
    outer = tf.get_variable("outer", [16, 1], initializer=tf.glorot_uniform_initializer(seed=2))

optimizer = tf.train.MomentumOptimizer(0.05, 0.9)
inputs, losses, gradients = [], [], []
for replica in replicas:
    with tf.name_scope(f"replica_{replica}"):
        with tf.device(f"/job:worker/task:{2 * replica}"):
            x = tf.placeholder(tf.float32, [None, 4])
            hidden = tf.nn.relu(tf.matmul(x, inner))
        with tf.device(f"/job:worker/task:{2 * replica + 1}"):
            y = tf.placeholder(tf.float32, [None, 1])
            loss = tf.reduce_mean(tf.square(tf.matmul(hidden, outer) - y))
        inputs.append((x, y))
        losses.append(loss)
        gradients.append([g for g, _ in optimizer.compute_gradients(loss, [inner, outer])])

means = [tf.add_n(list(parts)) / float(len(replicas)) for parts in zip(*gradients)]
train = optimizer.apply_gradients(zip(means, [inner, outer]), global_step)

random = np.random.default_rng(replicas[0])
with tf.train.MonitoredTrainingSession(target, is_chief=replicas[0] == 0) as session:
    for _ in range(steps):
        feeds = {}
        for x, y in inputs:
            feeds[x] = random.random((32, 4), np.float32)
            feeds[y] = feeds[x].max(axis=1, keepdims=True)
        _, last, count = session.run([train, losses, global_step], feeds)
    print(f"steps {session.run(global_step)} loss {np.mean(last):.4f}")
