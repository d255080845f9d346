"""A client that uses the x of two containers, in one step: two_containers.py TARGET ONE OTHER"""

import sys

import troupe as tf

target, one, other = sys.argv[1:]
with tf.container(one):
    x = tf.Variable(0.0, name="x")
with tf.container(other):
    y = tf.Variable(0.0, name="x")
with tf.Session(target) as session:
    print(*session.run([x, y]))
