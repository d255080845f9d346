"""Files of this machine, under the names of TensorFlow's module."""

from __future__ import annotations

import glob
import os
import shutil
from typing import IO, Any, Iterator, List, Tuple


def GFile(name: Any, mode: str = "r") -> IO[Any]:
    """An open file."""
    return open(name, mode)


FastGFile = Open = GFile


def Exists(filename: Any) -> bool:
    return os.path.exists(filename)


def IsDirectory(dirname: Any) -> bool:
    return os.path.isdir(dirname)


def ListDirectory(dirname: Any) -> List[str]:
    return os.listdir(dirname)


def Glob(filename: Any) -> List[str]:
    return sorted(glob.glob(filename))


def MkDir(dirname: Any) -> None:
    os.mkdir(dirname)


def MakeDirs(dirname: Any) -> None:
    """Creates a folder and its parents; it may exist."""
    os.makedirs(dirname, exist_ok=True)


def Remove(filename: Any) -> None:
    os.remove(filename)


def DeleteRecursively(dirname: Any) -> None:
    shutil.rmtree(dirname)


def Rename(oldname: Any, newname: Any, overwrite: bool = False) -> None:
    _check_free(newname, overwrite)
    os.replace(oldname, newname)


def Copy(oldpath: Any, newpath: Any, overwrite: bool = False) -> None:
    _check_free(newpath, overwrite)
    shutil.copyfile(oldpath, newpath)


def Stat(filename: Any) -> os.stat_result:
    return os.stat(filename)


def Walk(top: Any, in_order: bool = True) -> Iterator[Tuple[str, List[str], List[str]]]:
    return os.walk(top, topdown=in_order)


def _check_free(path: Any, overwrite: bool) -> None:
    if not overwrite and os.path.exists(path):
        raise FileExistsError(f"{path} exists")
