"""The images of digits of MNIST, from files of this machine."""

from troupe._src.contrib.mnist import DataSet, read_data_sets

__all__ = [
    "DataSet",
    "read_data_sets",
]
