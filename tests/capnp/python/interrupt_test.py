"""Ctrl-C, forks and exits, each in a program of its own."""

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

SLOW = """
import os, signal, sys, threading, time
import troupe as tf
size = 1500
slow = tf.ones([size, size])
for _ in range(200):
    slow = tf.matmul(slow, tf.ones([size, size])) / float(size)
slow = tf.reduce_sum(slow)
server = tf.train.Server.create_local_server()
def interrupt_soon():
    def kill():
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=kill, daemon=True).start()
def interrupted(work):
    interrupt_soon()
    try:
        work()
    except KeyboardInterrupt:
        return
    sys.exit("it was not interrupted")
"""

ENDLESS = """
started = threading.Event()
def endless(*_):
    started.set()
    while True:
        pass
"""


def run(program, timeout=60):
    """Runs a program and returns its output; fails with its errors."""
    source = SLOW + textwrap.dedent(program)
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, timeout=timeout
    )
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout.strip()


class InterruptTest(unittest.TestCase):
    def test_ctrl_c_cancels_the_step_and_returns_at_once(self):
        for target in ('""', "server.target"):
            out = run(f"""
                session = tf.Session({target})
                session.run(tf.constant(1))
                started = time.monotonic()
                interrupted(lambda: session.run(slow))
                print(time.monotonic() - started < 1.5, session.run(tf.constant(2)))
            """)
            self.assertEqual(out, "True 2")

    def test_ctrl_c_ends_a_callable_and_a_monitored_session(self):
        out = run("""
            session = tf.Session(server.target)
            call = session.make_callable(slow)
            interrupted(call)
            def train():
                with tf.train.MonitoredTrainingSession(server.target) as training:
                    training.run(slow)
            started = time.monotonic()
            interrupted(train)
            print(time.monotonic() - started < 3)
        """)
        self.assertEqual(out, "True")

    def test_ctrl_c_ends_the_wait_for_a_server_or_for_a_connection(self):
        out = run("""
            interrupted(server.join)
            def connect():
                tf.Session("troupe://localhost:1").run(tf.constant(1))
            interrupted(connect)
            print("done")
        """)
        self.assertEqual(out, "done")

    def test_ctrl_c_ends_the_wait_for_a_function_of_python(self):
        for target in ('""', "server.target"):
            out = run(f"""
                go, calls = threading.Event(), []
                endless = tf.py_func(lambda: go.wait() and None, [], [])
                session = tf.Session({target})
                interrupted(lambda: session.run(endless))
                print(session.run(tf.constant(2)))
            """)
            self.assertEqual(out, "2")

    def test_a_program_that_does_not_catch_it_dies_of_ctrl_c(self):
        program = SLOW + "print('ready', flush=True)\ntf.Session().run(slow)\n"
        process = subprocess.Popen(
            [sys.executable, "-c", program],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.assertEqual(process.stdout.readline(), "ready\n")
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=10)
        self.assertIn("KeyboardInterrupt", errors)
        self.assertIn(process.returncode, (1, -signal.SIGINT, 130))


class ForkTest(unittest.TestCase):
    def test_uses_in_a_forked_process_are_errors(self):
        out = run("""
            session = tf.Session(server.target)
            session.run(tf.constant(1))
            local = tf.Session()
            local.run(tf.constant(1))
            sys.stdout.flush()
            if os.fork() == 0:
                for use in (lambda: session.run(tf.constant(1)),
                            lambda: tf.Session().run(tf.constant(1)), server.stop,
                            tf.train.Server.create_local_server,
                            lambda: local.run(tf.constant(1))):
                    try:
                        use()
                        print("no error")
                    except tf.errors.FailedPreconditionError as error:
                        assert "forked" in str(error)
                del session, local, server, use
                print("child", flush=True)
                os._exit(0)
            os.wait()
            print(session.run(tf.constant(2)), local.run(tf.constant(3)))
        """)
        self.assertEqual(out, "child\n2 3")

    def test_children_may_use_what_their_parent_only_imported(self):
        source = textwrap.dedent("""
            import os, sys
            import troupe as tf
            x = tf.constant(1) + 1
            if os.fork() == 0:
                print(tf.Session().run(x), flush=True)
                os._exit(0)
            os.wait()
        """)
        done = subprocess.run(
            [sys.executable, "-c", source], capture_output=True, text=True, timeout=60
        )
        self.assertEqual(done.stdout.strip(), "2", done.stderr)


class EndTest(unittest.TestCase):
    def test_a_program_may_exit_with_open_sessions_and_servers(self):
        out = run("""
            session = tf.Session(server.target)
            session.run(tf.constant(1))
            thread = threading.Thread(target=lambda: session.run(slow), daemon=True)
            thread.start()
            time.sleep(0.2)
            print("end")
        """)
        self.assertEqual(out, "end")

    def exits_within(self, program):
        """Exits while a thread of the program is in a call of `endless`, which it starts."""
        out = run(ENDLESS + textwrap.dedent(program) + "started.wait()\nprint('end')\n")
        self.assertEqual(out, "end")

    def test_a_program_may_exit_while_hooks_run_in_its_threads(self):
        self.exits_within("""
            class Endless(tf.train.SessionRunHook):
                after_run = endless
            def train():
                with tf.train.MonitoredSession(hooks=[Endless()]) as training:
                    training.run(total)
            total = tf.constant(1) + 1
            threading.Thread(target=train, daemon=True).start()
        """)

    def test_a_program_may_exit_while_a_warning_of_a_connection_is_logged(self):
        self.exits_within("""
            import logging
            class Endless(logging.Handler):
                handle = endless
            logging.getLogger("troupe").addHandler(Endless())
            nowhere = tf.Session("troupe://localhost:1")
            threading.Thread(target=nowhere.list_devices, daemon=True).start()
        """)

    def test_a_program_may_exit_while_an_error_of_a_step_is_made_in_its_threads(self):
        self.exits_within("""
            from troupe._src.types import errors
            errors.from_status = endless
            session = tf.Session()
            fails = tf.check_numerics(tf.constant(float("nan")), "not a number")
            threading.Thread(target=session.run, args=(fails,), daemon=True).start()
        """)

    def test_a_program_may_exit_while_its_functions_run(self):
        out = run("""
            import numpy as np
            def spin():
                while True:
                    pass
            def sleep():
                while True:
                    time.sleep(0.001)
            def multiply():
                while True:
                    np.ones([50, 50]) @ np.ones([50, 50])
            def run_steps():
                while True:
                    inner.run(total)
            total = tf.constant(1) + 1
            inner = tf.Session()
            inner.run(total)
            # More than may run at once.
            calls = [tf.py_func(f, [], []) for f in [spin, sleep, multiply, run_steps] * 40]
            threads = [
                threading.Thread(target=session.run, args=(calls,), daemon=True)
                for session in (tf.Session(), tf.Session(server.target))
            ]
            class Nowhere:  # without a lock, which a thread may hold when the interpreter ends
                def write(self, text):
                    pass
                def flush(self):
                    pass
            sys.stderr = Nowhere()  # the threads of the program report their errors
            for thread in threads:
                thread.start()
            time.sleep(0.3)
            print("end")
        """)
        self.assertEqual(out, "end")

    def test_the_import_is_quick(self):
        program = "import numpy, time\nbegin = time.perf_counter()\nimport troupe\n"
        program += "print(time.perf_counter() - begin)"
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        with tempfile.TemporaryDirectory() as folder:
            # The first run compiles the modules to bytecode, as an installation does.
            environment["PYTHONPYCACHEPREFIX"] = folder
            command = [sys.executable, "-c", program]
            times = [float(subprocess.check_output(command, env=environment)) for _ in range(4)]
        self.assertLess(min(times), 1.5)  # ten times its aim


if __name__ == "__main__":
    unittest.main()
