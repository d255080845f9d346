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
    """The path of a file beside the calling module."""
    return os.path.join(_folder_of_caller(), path)


def get_root_dir_with_all_resources() -> str:
    """The folder of the calling module: there is no other place of resources."""
    return _folder_of_caller()


def load_resource(path: str) -> bytes:
    """The bytes of a file, by a path from the folder of the calling module."""
    with open(os.path.join(_folder_of_caller(), path), "rb") as file:
        return file.read()


def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """The path itself."""
    return path
