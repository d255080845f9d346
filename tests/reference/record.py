#!/usr/bin/env python3
"""Records what TensorFlow answers to the calls of calls/*.py, each family in FAMILY.json.

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


def main(families):
    if "-h" in families or "--help" in families:
        print(__doc__)
        return
    here = pathlib.Path(__file__).parent
    for family in families or sorted(path.stem for path in (here / "calls").glob("[a-z]*.py")):
        recorder = Recorder()
        importlib.import_module(f"calls.{family}").record(recorder)
        recorder.write(here / f"{family}.json")
        print(f"{family}: {len(recorder.calls)} calls")


if __name__ == "__main__":
    main(sys.argv[1:])
