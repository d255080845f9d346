"""A synchronous training with a backup worker, each task a process.

synchronous.py CLUSTER JOB TASK STEPS, where CLUSTER is in JSON
"""

import json
import sys

import troupe as tf

cluster, job, task, steps = json.loads(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
server = tf.train.Server(cluster, job, task)
if job == "ps":
    server.join()
    raise SystemExit

worker, count = f"/job:worker/task:{task}", len(cluster["worker"])
with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=worker)):
    w = tf.get_variable("w", initializer=10.0)
    global_step = tf.train.get_or_create_global_step()
    optimizer = tf.train.SyncReplicasOptimizer(
        tf.train.GradientDescentOptimizer(0.05),
        replicas_to_aggregate=count - 1,
        total_num_replicas=count,
    )
    train = optimizer.minimize(tf.square(w), global_step=global_step)
hook = optimizer.make_session_run_hook(is_chief=task == 0)
with tf.train.MonitoredTrainingSession(
    server.target, is_chief=task == 0, hooks=[hook], stop_grace_period_secs=20
) as session:
    done = 0
    while done < steps:
        session.run(train)
        done = session.run(global_step)
        print("step", done, flush=True)
    print("w", session.run(w), flush=True)
