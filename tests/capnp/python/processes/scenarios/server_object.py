"""The attributes of a server, and the arguments it accepts: server_object.py PORT PORT"""

import sys

import troupe as tf

cluster = tf.train.ClusterSpec({"worker": [f"localhost:{port}" for port in sys.argv[1:3]]})
definition = tf.train.ServerDef(cluster, job_name="worker", task_index=0)
server = tf.train.Server(definition, task_index=1, start=False)
print(server.server_def.job_name, server.server_def.task_index, server.target)
server.start()
alone = tf.train.Server.create_local_server(config=tf.ConfigProto(device_count={"CPU": 1}))
for target in (server.target, alone.target):
    with tf.Session(target) as session:
        print(session.run(tf.constant("served")).decode())
try:
    tf.train.Server(cluster, job_name="worker")
except ValueError as error:
    print(error)
server.stop()
alone.stop()
