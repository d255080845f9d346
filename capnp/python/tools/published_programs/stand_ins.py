"""Small modules in place of what published programs import, and is not there today."""

from __future__ import annotations

import pathlib
from typing import Callable, Dict

_PICTURES = '''
"""The functions for pictures that SciPy had."""

import numpy as np
from PIL import Image


def imread(name, flatten=False, mode=None):
    image = Image.open(name).convert(mode or ("L" if flatten else "RGB"))
    return np.asarray(image.convert("L") if flatten else image)


def imresize(arr, size, interp="bilinear", mode=None):
    image = Image.fromarray(np.asarray(arr).astype(np.uint8))
    return np.asarray(image.resize((size[1], size[0]), Image.BILINEAR))


def imsave(name, arr, format=None):
    arr = np.squeeze(np.asarray(arr, np.float64))
    low, high = arr.min(), arr.max()
    Image.fromarray(((arr - low) * 255 / max(high - low, 1e-9)).astype(np.uint8)).save(name)
'''

_MESSAGES = '''
"""Plain classes in place of the messages that protoc makes of module.proto."""


class SonnetModule:
    pass
'''

_CONFIGURABLES = '''
"""What gin.tf.external_configurables does, for two classes."""

import gin
import tensorflow as tf

for name in ("AdamOptimizer", "RMSPropOptimizer"):
    gin.external_configurable(getattr(tf.train, name), f"tf.train.{name}")
'''

_PROCESSES = '''
"""The functions of MPI for one process."""

import types

import numpy as np


class _World:
    def Get_rank(self):
        return 0

    def Get_size(self):
        return 1

    def Allreduce(self, sent, received, op=None):
        received[...] = np.asarray(sent)

    def allgather(self, value):
        return [value]

    def allreduce(self, value, op=None):
        return value

    def Bcast(self, values, root=0):
        pass

    def bcast(self, value, root=0):
        return value

    def Reduce(self, sent, received, op=None, root=0):
        received[...] = np.asarray(sent)


MPI = types.SimpleNamespace(COMM_WORLD=_World(), SUM="sum", MIN="min", MAX="max")
'''

_LAYOUTS = '''
"""The messages that tell tensorboard how to arrange scalars, of which nothing is kept."""

import sys
import types

import tensorflow as tf

__path__ = []
summary = types.ModuleType("tensorboard.summary")
summary.custom_scalar_pb = lambda layout: tf.Summary()
kinds = types.ModuleType("tensorboard.plugins.custom_scalar.layout_pb2")
kinds.Layout = kinds.Category = kinds.Chart = lambda **fields: None
kinds.MarginChartContent = type("MarginChartContent", (), {
    "__init__": lambda self, **fields: None, "Series": lambda **fields: None})
plugins = types.ModuleType("tensorboard.plugins.custom_scalar")
plugins.__path__, plugins.layout_pb2 = [], kinds
sys.modules.update({each.__name__: each for each in (summary, kinds, plugins)})
sys.modules["tensorboard.plugins"] = plugins
'''


def make_layouts(folder: pathlib.Path) -> None:
    (folder / "tensorboard.py").write_text(_LAYOUTS.lstrip())


def make_one_process(folder: pathlib.Path) -> None:
    (folder / "mpi4py.py").write_text(_PROCESSES.lstrip())


_WORKER = '''
"""The functions of Horovod for one worker."""

import sys
import types

import tensorflow as tf

__path__ = []
tensorflow = types.ModuleType("horovod.tensorflow")
tensorflow.init = lambda: None
tensorflow.rank = tensorflow.local_rank = lambda: 0
tensorflow.size = tensorflow.local_size = lambda: 1
tensorflow.broadcast_global_variables = lambda root: tf.no_op()
tensorflow.DistributedOptimizer = lambda optimizer, **options: optimizer
tensorflow.BroadcastGlobalVariablesHook = lambda root, device="": tf.train.SessionRunHook()
tensorflow.allreduce = lambda tensor, **options: tensor
tensorflow.mpi_threads_supported = lambda: False
tensorflow.Compression = types.SimpleNamespace(none=None, fp16=None)
sys.modules["horovod.tensorflow"] = tensorflow
compression = types.ModuleType("horovod.tensorflow.compression")
compression.Compression = tensorflow.Compression
sys.modules["horovod.tensorflow.compression"] = compression
'''


def make_one_worker(folder: pathlib.Path) -> None:
    (folder / "horovod.py").write_text(_WORKER.lstrip())


_LOG = '''
"""The functions of dllogger, which print what is logged."""

import sys
import types

__path__ = []


class Verbosity:
    OFF, DEFAULT, VERBOSE = -1, 0, 1


class Backend:
    def __init__(self, *arguments, **options):
        pass


StdOutBackend = JSONStreamBackend = Backend


class Logger:
    def __init__(self, backends=()):
        pass

    def log(self, step, data, verbosity=Verbosity.DEFAULT):
        print(step, data)

    def metadata(self, metric, metadata):
        pass

    def flush(self):
        sys.stdout.flush()


def init(backends):
    pass


log, metadata, flush = Logger().log, Logger().metadata, Logger().flush
logger = types.ModuleType("dllogger.logger")
logger.LOGGER = Logger()
autologging = types.ModuleType("dllogger.autologging")
autologging.log_hardware = lambda *arguments: None
sys.modules.update({each.__name__: each for each in (logger, autologging)})
'''


def make_log(folder: pathlib.Path) -> None:
    (folder / "dllogger.py").write_text(_LOG.lstrip())


def make_pictures_of_scipy(folder: pathlib.Path) -> None:
    (folder / "misc.py").write_text(_PICTURES.lstrip())


def make_messages_of_modules(folder: pathlib.Path) -> None:
    (folder / "sonnet/protos").mkdir(parents=True)
    (folder / "sonnet/protos/__init__.py").write_text("")
    (folder / "sonnet/protos/module_pb2.py").write_text(_MESSAGES.lstrip())


def make_configurables(folder: pathlib.Path) -> None:
    (folder / "configurables.py").write_text(_CONFIGURABLES.lstrip())


MAKERS: Dict[str, Callable[[pathlib.Path], None]] = {
    "configurables": make_configurables,
    "layouts": make_layouts,
    "log": make_log,
    "one process": make_one_process,
    "messages of modules": make_messages_of_modules,
    "one worker": make_one_worker,
    "pictures of SciPy": make_pictures_of_scipy,
}
