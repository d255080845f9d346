"""A client written from the schema alone: only pycapnp and the .capnp files.

plain_client.py SCHEMA_FOLDER HOST:PORT: makes a variable, counts it up, resets its container.
"""

import asyncio
import struct
import sys

import capnp

SCHEMA, ADDRESS = sys.argv[1:]
master_capnp = capnp.load(f"{SCHEMA}/master.capnp", imports=["/usr/include"])
FLOAT = 1  # the dtype float32


def node(name, op, inputs=(), **attrs):
    values = [{"name": key, "value": value} for key, value in attrs.items()]
    return {"name": name, "op": op, "inputs": list(inputs), "attrs": values}


def scalar(number):
    return {"dtype": FLOAT, "sizes": [], "chunks": [struct.pack("<f", number)]}


GRAPH = [
    node("one", "Const", dtype={"type": FLOAT}, value={"tensor": scalar(1)}),
    node("x", "VarHandleOp", dtype={"type": FLOAT}, shape={"shape": {"sizes": []}},
         container={"string": b"mine"}, shared_name={"string": b"x"}),
    node("init", "AssignVariableOp", ["x", "one"], dtype={"type": FLOAT}),
    node("bump", "AssignAddVariableOp", ["x", "one"], dtype={"type": FLOAT}),
    node("read", "ReadVariableOp", ["x", "^bump"], dtype={"type": FLOAT}),
]  # fmt: skip


async def main():
    stream = await capnp.AsyncIoStream.create_connection(*ADDRESS.rsplit(":", 1))
    login = capnp.TwoPartyClient(stream).bootstrap().cast_as(master_capnp.Login)
    master = login.login(protocolVersion=2, client="plain").master
    # None of these three waits for the one before it.
    opening = master.createSession(graph={"nodes": GRAPH})
    made = await opening.session.run(targets=["init"])
    assert made.status.code == 0, made.status
    ran = await opening.session.run(fetches=["read"])
    assert struct.unpack("<f", ran.values[0].chunks[0]) == (2.0,), ran
    assert (await master.reset(containers=["mine"], timeoutMs=1000)).status.code == 0
    closed = await opening.session.run(fetches=["read"])
    print("fetched 2, and after the reset:", closed.status.message)


asyncio.run(capnp.run(main()))
