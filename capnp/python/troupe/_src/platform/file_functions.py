"""The functions of `gfile` under the names of tf.io.gfile."""

from __future__ import annotations

from os.path import join

from troupe._src.platform.gfile import Copy as copy
from troupe._src.platform.gfile import DeleteRecursively as rmtree
from troupe._src.platform.gfile import Exists as exists
from troupe._src.platform.gfile import GFile as GFile
from troupe._src.platform.gfile import Glob as glob
from troupe._src.platform.gfile import IsDirectory as isdir
from troupe._src.platform.gfile import ListDirectory as listdir
from troupe._src.platform.gfile import MakeDirs as makedirs
from troupe._src.platform.gfile import MkDir as mkdir
from troupe._src.platform.gfile import Remove as remove
from troupe._src.platform.gfile import Rename as rename
from troupe._src.platform.gfile import Stat as stat
from troupe._src.platform.gfile import Walk as walk

__all__ = [
    "GFile", "copy", "exists", "glob", "isdir", "join", "listdir", "makedirs", "mkdir", "remove",
    "rename", "rmtree", "stat", "walk",
]  # fmt: skip
