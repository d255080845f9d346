"""Frees containers of a cluster: reset.py TARGET CONTAINER ..."""

import sys

import troupe as tf

try:
    tf.Session.reset(sys.argv[1], sys.argv[2:])
    print("all tasks")
except tf.errors.UnavailableError as error:
    print("all but", error.task, "-", error.message)
