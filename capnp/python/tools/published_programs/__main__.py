"""Runs programs that others have published for TensorFlow 1, with `python -m troupe`.

Usage: python capnp/python/tools/published_programs [--mirror DIR] [--packages DIRS] [NAME ...]
       python capnp/python/tools/published_programs --readme

The programs, what is changed in them, and the synthetic data are in the modules beside. Their text
comes from clones of their repositories, in DIR/OWNER+NAME/repo or from GitHub, at the commits of
the table; none of it is kept. Writes how each one ended to results.json, and with --readme a table
of the results into the README of the package. `--packages` names folders, with a colon between
two, with other packages that programs import (absl-py, cloudpickle, contextlib2, dill, dm-tree,
easydict, fire, ftfy, funcsigs, gast 0.2.2, gin-config, h5py, joblib, keras 2.3.1, librosa,
matplotlib, mesh-tensorflow 0.0.5, msgpack, msgpack-numpy, multipledispatch, munch, networkx, nltk,
opencv-python-headless, pandas, parameterized, pillow, protobuf 3.20, psutil, pyyaml,
python-speech-features, pyzmq, regex, requests, scikit-learn, scipy, semantic_version,
sentencepiece, sgf, six, sympy, tabulate, tensorflow-hub 0.7.0, tensorflow-probability 0.8.0,
termcolor, tqdm, typeguard 2.13, unidecode, wrapt).
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import sys
import tempfile

import data
import report
import sources
from running import run
from table import PROGRAMS

RESULTS = pathlib.Path(__file__).with_name("results.json")
README = pathlib.Path(__file__).parents[2] / "README.md"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", default=str(pathlib.Path(tempfile.gettempdir(), "programs")))
    parser.add_argument("--packages", default="")
    parser.add_argument("--parallel", type=int, default=1)
    parser.add_argument("--readme", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    sys.path += options.packages.split(os.pathsep)  # of which some data are made
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    if options.readme:
        README.write_text(report.with_table(README.read_text(), PROGRAMS, known))
        return
    names = {program.name for program in PROGRAMS}
    if unknown := set(options.names) - names:
        parser.error(f"no such program: {', '.join(sorted(unknown))} (results.json has the names)")
    chosen = [each for each in PROGRAMS if not options.names or each.name in options.names]
    with (
        tempfile.TemporaryDirectory() as folder,
        concurrent.futures.ThreadPoolExecutor(options.parallel) as threads,
    ):
        digits = data.make_digits(pathlib.Path(folder, "digits"))
        clones = sources.Clones(pathlib.Path(options.mirror))

        def attempt(program):
            place = pathlib.Path(folder, re.sub(r"[^\w.]+", "+", program.name))
            try:
                return program, run(program, clones, place, digits, options.packages)
            except Exception as error:  # of its text: it is one result of many
                return program, f"could not be prepared: {error}"

        for program, ending in threads.map(attempt, chosen):
            print(f"{program.name}: {ending}", flush=True)
            known[program.name] = ending
    known = {name: ending for name, ending in sorted(known.items()) if name in names}
    RESULTS.write_text(json.dumps(known, indent=0) + "\n")
    count = sum(ending == "runs" for ending in known.values())
    print(f"{count} of {len(PROGRAMS)} run on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()
