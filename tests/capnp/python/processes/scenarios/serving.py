"""A node that serves until a signal or a client stops it: serving.py PORT"""

import signal
import sys

import troupe as tf

server = tf.train.Server({"local": [f"localhost:{sys.argv[1]}"]})
signal.signal(signal.SIGTERM, lambda *_: server.stop())
print("serves on", server.target, flush=True)
server.join()
print("ended")
