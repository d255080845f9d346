"""The same program for all machines: TF_CONFIG gives the task of each.

Parameter servers serve, workers train one weight together, the chief stops the servers at the end.
"""

import time

import troupe as tf
from troupe.train.cluster import role_from_tf_config

role = role_from_tf_config()
server = tf.train.Server(role.server_def)
if role.is_ps:
    server.join()
    raise SystemExit

with tf.device(tf.train.replica_device_setter(cluster=role.cluster)):
    weight = tf.get_variable("weight", initializer=0.0)
    finished = tf.get_variable("finished", initializer=0.0, trainable=False)
finish = finished.assign_add(1.0)
train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(weight - 3.0))

with tf.train.MonitoredTrainingSession(server.target, is_chief=role.is_chief) as session:
    for _ in range(20):
        session.run(train)
    session.run(finish)
    while role.is_chief and session.run(finished) < role.num_worker_replicas:
        time.sleep(0.1)
    print("weight", session.run(weight))

if role.is_chief:
    for address in role.cluster.job_tasks("ps"):
        tf.train.stop_server(f"troupe://{address}")
