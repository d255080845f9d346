"""A client that increments the variable x of a container: client.py TARGET CONTAINER [init]"""

import sys

import troupe as tf

target, container = sys.argv[1:3]
with tf.container(container):
    x = tf.get_variable("x", initializer=0.0)
with tf.Session(target) as session:
    if "init" in sys.argv:
        session.run(x.initializer)
    print(session.run(x.assign_add(1.0)))
