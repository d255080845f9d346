"""What the machine does without a runtime: the lower bounds of steps and transfers."""

import contextlib
import os
import pathlib
import socket
import subprocess

from processes import end_children, fork_child
from samples import times_of

MESSAGE_BYTES = 256


@contextlib.contextmanager
def _connection_to(serve):
    """A loopback connection whose other end is served by another process."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        child = fork_child()
        if child == 0:
            try:
                with listener.accept()[0] as connection:
                    serve(_without_delay(connection))
            finally:
                os._exit(0)
        try:
            with socket.create_connection(listener.getsockname()) as connection:
                yield _without_delay(connection)
        finally:
            end_children([child])


def _without_delay(connection):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def round_trip(seconds, count):
    """Microseconds of `count` round trips of a small message over TCP, one after the other."""

    def echo(connection):
        while message := connection.recv(MESSAGE_BYTES):
            connection.sendall(message)

    message = bytes(MESSAGE_BYTES)
    with _connection_to(echo) as connection:

        def action():
            connection.sendall(message)
            connection.recv(MESSAGE_BYTES, socket.MSG_WAITALL)

        return [time_s * 1e6 * count for time_s in times_of(action, seconds)]


def tcp_bandwidth(seconds, size):
    """GB/s of `size` bytes over one TCP connection."""

    def send(connection):
        block = b"1" * size  # memory that was never written is one page of zeros
        while connection.recv(1):
            connection.sendall(block)

    block = bytearray(size)
    with _connection_to(send) as connection:

        def action():
            connection.sendall(b"1")
            rest = memoryview(block)
            while rest and (got := connection.recv_into(rest)):
                rest = rest[got:]

        return [size / 1e9 / time_s for time_s in times_of(action, seconds)]


def memcpy(seconds, size):
    """GB/s of copying `size` bytes in one thread."""
    source, target = memoryview(bytearray(size)), memoryview(bytearray(size))
    source[:] = b"1" * size  # memory that was never written is one page of zeros

    def action():
        target[:] = source

    return [size / 1e9 / time_s for time_s in times_of(action, seconds)]


def dnnl(seconds, call):
    """GFLOP/s of oneDNN alone, in any layout and with all cores; `call`: see dnnl_floor --help."""
    program = pathlib.Path(__file__).resolve().parents[3] / "build/bin/dnnl_floor"
    command = [program, f"--seconds={seconds}", *call.split()]
    lines = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
    return [float(line) for line in lines.splitlines()]


FLOORS = {
    "round_trip": round_trip,
    "tcp_bandwidth": tcp_bandwidth,
    "memcpy": memcpy,
    "dnnl": dnnl,
}
