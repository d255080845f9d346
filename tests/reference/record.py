#!/usr/bin/env python3
"""Records what TensorFlow answers to the calls of calls/ROOM/FAMILY.py, in FAMILY.json beside it.

Usage: build/peers-venv/bin/python tests/reference/record.py [FAMILY...]
(`tools/bench --setup` installs TensorFlow there; nothing else needs it.)
"""

import importlib
import os
import pathlib
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

from recorder import Recorder  # noqa: E402  (TensorFlow reads the environment when it is imported)

CALLS = pathlib.Path(__file__).parent / "calls"


def main(families):
    if "-h" in families or "--help" in families:
        print(__doc__)
        return
    paths = {path.stem: path for path in sorted(CALLS.glob("*/[a-z]*.py"))}
    for family in families or paths:
        if family not in paths:
            sys.exit(f"record.py: there is no family {family}; there are {', '.join(paths)}")
        recorder = Recorder()
        path = paths[family]
        importlib.import_module(f"calls.{path.parent.name}.{family}").record(recorder)
        recorder.write(path.with_suffix(".json"))
        print(f"{family}: {len(recorder.calls)} calls")


if __name__ == "__main__":
    main(sys.argv[1:])
