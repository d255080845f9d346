"""A side of the comparison: measures the workloads and ops that its standard input names.

Usage: side.py troupe|tensorflow

Each line of the input is a request, {"workload": NAME, "seconds": SECONDS}, each line of the output
an answer, {"samples": [...]} or {"error": REASON}; the first line is {"version": VERSION}. Each
request is measured in a child process of its own, forked after the import, with a cluster of its
own.
"""

import importlib
import json
import os
import pathlib
import sys
import traceback

from ops.cases import OPS
from processes import fork_child
from workloads import WORKLOADS

NODES = pathlib.Path(__file__).resolve().parents[2] / "capnp/python/processes"  # has nodes.py
MEASURED = {**WORKLOADS, **OPS}


def answer_of(side, request):
    try:
        measure = MEASURED[request["workload"]].measure
        return {"samples": measure(side, request["seconds"])}
    except Exception as error:
        traceback.print_exc()
        return {"error": f"{type(error).__name__}: {error}"}


def send(answers, message):
    answers.write(json.dumps(message) + "\n")
    answers.flush()


def measure_in_child(side, request, answers):
    pid = fork_child()
    if pid == 0:
        try:
            send(answers, answer_of(side, request))
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(pid, 0)
    if status != 0:
        how = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else "an exit"
        send(answers, {"error": f"the process of the client ended with {how}"})


def main():
    # What a library prints must not get among the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    os.environ.pop("TF_CONFIG", None)  # it would describe another cluster
    sys.path.append(str(NODES))
    side = importlib.import_module(sys.argv[1] + "_side")
    send(answers, {"version": side.version})
    for line in sys.stdin:
        measure_in_child(side, json.loads(line), answers)


if __name__ == "__main__":
    main()
