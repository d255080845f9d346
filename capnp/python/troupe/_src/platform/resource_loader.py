"""Files beside a program's modules."""

from __future__ import annotations

import os
import sys


def _folder_of_caller() -> str:
    """The folder of the module that has called a function of this one."""
    return os.path.dirname(os.path.abspath(sys._getframe(2).f_code.co_filename))


def get_data_files_path() -> str:
    """The folder of the calling module."""
    return _folder_of_caller()


def get_path_to_datafile(path: str) -> str:
    """The path of a file beside the calling module.

    Args:
        path: A path from the folder of that module.

    Returns:
        The absolute path, also where there is no such file.
    """
    return os.path.join(_folder_of_caller(), path)


def get_root_dir_with_all_resources() -> str:
    """The folder of the calling module: there is no other place of resources."""
    return _folder_of_caller()


def load_resource(path: str) -> bytes:
    """What a file beside the calling module contains.

    Args:
        path: A path from the folder of that module.

    Returns:
        The bytes.

    Raises:
        OSError: The file cannot be read.
    """
    with open(os.path.join(_folder_of_caller(), path), "rb") as file:
        return file.read()


def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """The path itself: files are not read ahead.

    Args:
        path: The path of a file.
        readahead: How much to read ahead; it has no effect.

    Returns:
        The path.
    """
    return path
