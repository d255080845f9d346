"""The folders of exported models: one for each export, whose name is its time."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import time
from typing import Any, Dict, Iterator, List, NamedTuple, Optional

from troupe._src.platform import logging

ASSETS_EXTRA_DIRECTORY = "assets.extra"
_EXPORT = re.compile(r"\d{10}")


class ExportFolder(NamedTuple):
    """Where an export is written, and where it is once it is complete."""

    temporary: str
    final: str


@contextlib.contextmanager
def new_export_folder(base: Any) -> Iterator[ExportFolder]:
    """The folder of a new export, which gets its name when the block has ended without an error.

    Its name is the time in seconds, or a higher number where there is such an export already, so
    that later ones have higher numbers. Those who serve models ignore names that are no numbers.
    """
    path = os.fsdecode(os.fspath(base))
    os.makedirs(path, exist_ok=True)
    folder = _claim(path)
    try:
        yield folder
        os.rename(folder.temporary, folder.final)
    except BaseException:
        shutil.rmtree(folder.temporary, ignore_errors=True)
        raise


def _claim(base: str) -> ExportFolder:
    number = int(time.time())
    while True:
        folder = ExportFolder(os.path.join(base, f"temp-{number}"), os.path.join(base, str(number)))
        if not os.path.exists(folder.final):
            with contextlib.suppress(FileExistsError):
                os.mkdir(folder.temporary)
                return folder
        number += 1


def copy_assets(folder: str, assets: Optional[Dict[str, Any]]) -> None:
    """Copies files into the folder of those that a graph does not read, by their paths there."""
    for target, source in (assets or {}).items():
        path = os.path.join(folder, ASSETS_EXTRA_DIRECTORY, os.fsdecode(target))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copyfile(source, path)


def exports_in(base: str) -> List[str]:
    """The names of the exports in a folder, oldest first."""
    if not os.path.isdir(base):
        return []
    return sorted((name for name in os.listdir(base) if _EXPORT.fullmatch(name)), key=int)


def remove_old_exports(base: str, exports_to_keep: Optional[int]) -> None:
    """Removes all exports but the newest ones; None keeps all."""
    if exports_to_keep is None:
        return
    for name in exports_in(base)[:-exports_to_keep]:
        try:
            shutil.rmtree(os.path.join(base, name))
        except OSError as error:
            logging.warning("Can not delete %s recursively: %s", os.path.join(base, name), error)
