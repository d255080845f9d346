#!/usr/bin/env python3
"""tools/check_arrows.py finds each wrong include of a tree made for the test."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKER = pathlib.Path(__file__).parents[2] / "tools" / "check_arrows.py"

WRONG = {
    "graph/a.hpp": [
        '#include "troupe/devices/device.hpp"',
        "#include <caf/all.hpp>",
        "#include <tbb/tbb.h>",
        "#include <cuda_runtime.h>",
        "#include <kj/async.h>",
        "#include <capnp/message.h>",
        "#include <dnnl.hpp>",
        "#include <google/protobuf/message.h>",
        '#include "status.hpp"',
        '#include "graph/types/status.hpp"',
        '#include "troupe/tests/x.hpp"',
        '#include "troupe/nowhere/x.hpp"',
        "  #  include <troupe/actors/world.hpp>",
    ],
    "devices/b.hpp": ["#include <troupe_proto/tensor.pb.h>"],
    "devices/a.cu": ["#include <caf/all.hpp>", '#include "troupe/actors/node_messages.hpp"'],
    "actors/a.cpp": [
        "#include <tbb/tbb.h>",
        "#include <oneapi/dnnl/dnnl.hpp>",
        "#include <capnp/rpc.h>",
        "#include <troupe_schema/master.capnp.h>",
        '#include "troupe/capnp/convert/convert.hpp"',
        "auto now = std::chrono::steady_clock::now();",
        "self->delayed_send(self, 1s, HeartbeatTick{});",
        "auto now = self->clock().now();",
        "std::this_thread::sleep_for(1s);",
        "std::random_device random;",
        "system.middleman().publish(task, 0);",
    ],
    "actors/link/a.cpp": ['#include "troupe/capnp/convert/convert.hpp"', "#include <tbb/tbb.h>"],
    "capnp/convert/convert.cpp": [
        '#include "troupe/actors/node_serialization.hpp"',
        "#include <caf/all.hpp>",
    ],
    "capnp/client/a.hpp": [
        '#include "troupe/devices/device.hpp"',
        '#include "troupe/capnp/server/server.hpp"',
    ],
    "capnp/server/a.cpp": ['#include "troupe/apps/x.hpp"', "#include <tbb/tbb.h>"],
    "capnp/python/native/a.cpp": ['#include "troupe/apps/x.hpp"', "#include <caf/all.hpp>"],
    "apps/a.cpp": [
        "#include <kj/async.h>",
        "#include <dnnl.hpp>",
        '#include "troupe/capnp/python/native/bind.hpp"',
    ],
    "tests/graph/a_test.cpp": ['#include "troupe/devices/device.hpp"'],
    "tests/actors/a_test.cpp": [
        '#include "troupe/capnp/server/server.hpp"',
        '#include "troupe/tests/capnp/x.hpp"',
    ],
}

RIGHT = {
    "graph/b.hpp": ['#include "troupe/graph/types/status.hpp"', "#include <nlohmann/json.hpp>"],
    "devices/b.cpp": ["#include <tbb/tbb.h>", "#include <dnnl.hpp>", "#include <cuda_runtime.h>"],
    "actors/world/b.cpp": ["#include <caf/io/all.hpp>", "auto now = system().clock().now();"],
    "actors/link/b.cpp": ["#include <capnp/message.h>", '#include "troupe_schema/link.capnp.h"'],
    "actors/b.cpp": [
        "#include <caf/all.hpp>",
        "auto now = world->now();  // no steady_clock",
        '#include "troupe/devices/device.hpp"',
    ],
    "capnp/b.cpp": ["#include <capnp/rpc.h>", '#include "troupe_schema/master.capnp.h"'],
    "capnp/client/b.cpp": [
        '#include "troupe/capnp/convert/convert.hpp"',
        '#include "troupe/graph/x.hpp"',
    ],
    "capnp/server/b.cpp": ['#include "troupe/actors/x.hpp"', "#include <caf/all.hpp>"],
    "apps/b.cpp": ['#include "troupe/capnp/server/server.hpp"', "#include <CLI/CLI.hpp>"],
    "tests/b.cpp": ['#include "troupe/capnp/client/client.hpp"'],
    "tests/devices/b_test.cpp": [
        '#include "troupe/graph/x.hpp"',
        '#include "troupe/tests/graph/x.hpp"',
    ],
    "tests/processes/b_test.cpp": ['#include "troupe/capnp/client/client.hpp"'],
}


def faults_of(files):
    """The lines that the checker prints for such a tree, and its exit code."""
    with tempfile.TemporaryDirectory() as root:
        for name, lines in files.items():
            path = pathlib.Path(root) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(lines) + "\n")
        done = subprocess.run(
            [sys.executable, CHECKER, root], capture_output=True, text=True, check=False
        )
        return done.stdout.splitlines(), done.returncode


class Arrows(unittest.TestCase):
    def test_each_wrong_include_is_found(self):
        for name, lines in WRONG.items():
            for line in lines:
                with self.subTest(file=name, line=line):
                    faults, code = faults_of({name: ["// first", line]})
                    self.assertEqual(code, 1)
                    self.assertEqual(len(faults), 1)
                    self.assertTrue(faults[0].startswith(f"{name}:2: "), faults[0])

    def test_what_points_down_is_right(self):
        self.assertEqual(faults_of(RIGHT), ([f"arrows ok: {len(RIGHT)} files"], 0))


if __name__ == "__main__":
    unittest.main()
