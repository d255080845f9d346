"""Nodes that share this machine: parameter servers use no GPU, each worker half of its memory.

machine.py PS WORKER WORKER, which are addresses
"""

import subprocess
import sys

import troupe as tf

ps, *workers = sys.argv[1:4]
cluster = {"ps": [ps], "worker": workers}
if len(sys.argv) > 4:
    half = tf.GPUOptions(per_process_gpu_memory_fraction=0.5)
    config = tf.ConfigProto(gpu_options=half, intra_op_parallelism_threads=1)
    tf.train.Server(cluster, "worker", int(sys.argv[4]), config=config).join()
    raise SystemExit

server = tf.train.Server(cluster, "ps", config=tf.ConfigProto(device_count={"GPU": 0}))
nodes = [subprocess.Popen([sys.executable, *sys.argv, str(task)]) for task in range(2)]
with tf.device("/job:ps/task:0"):
    total = tf.get_variable("total", initializer=0.0)
adds = []
for task in range(2):
    with tf.device(f"/job:worker/task:{task}"):
        adds.append(total.assign_add(tf.reduce_sum(tf.ones([10, 10]))))
with tf.train.MonitoredTrainingSession(server.target) as session:
    session.run(adds)
    print("total", session.run(total))
with tf.Session(server.target) as session:
    print(*[device.name for device in session.list_devices()])
for address in workers:
    tf.train.stop_server(f"troupe://{address}")
print("ended with", [node.wait() for node in nodes])
