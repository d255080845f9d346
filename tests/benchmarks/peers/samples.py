"""Repeats steps and measures them, in the process of a client."""

import threading
import time

WARM_UP_COUNT = 3
COUNT_MIN = 3
WINDOWS_MAX = 8
WINDOW_STEPS = 20


def times_of(step, seconds):
    """How long each step takes, in seconds, of steps for about `seconds` after a warm-up."""
    _warm_up(step, seconds)
    times = []
    end = time.perf_counter() + seconds
    while len(times) < COUNT_MIN or time.perf_counter() < end:
        begin = time.perf_counter()
        step()
        times.append(time.perf_counter() - begin)
    return times


def rates_of(steps, seconds):
    """Steps a second of threads that each repeat one of `steps`, for about `seconds`.

    Each sample is the rate of all threads in one part of that time. Raises the first error of a
    step.
    """
    ends = [[] for _ in steps]
    errors = []
    start = threading.Barrier(len(steps) + 1)
    threads = [
        threading.Thread(target=_repeat, args=(step, seconds, start, own_ends, errors), daemon=True)
        for step, own_ends in zip(steps, ends)
    ]
    for thread in threads:
        thread.start()
    begin = None
    try:
        start.wait()
        begin = time.perf_counter()
    except threading.BrokenBarrierError:
        pass
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return rates_in_windows([end - begin for own in ends for end in own], seconds)


def rates_in_windows(ends, seconds):
    """The rate of each part of `seconds`, of steps that ended at these times after the start.

    There are fewer parts where there are few steps.
    """
    ends = [end for end in ends if 0 <= end < seconds]
    count = max(1, min(WINDOWS_MAX, len(ends) // WINDOW_STEPS))
    steps = [0] * count
    for end in ends:
        steps[int(end / seconds * count)] += 1
    return [of_window * count / seconds for of_window in steps]


def _warm_up(step, seconds):
    """Some steps, but a single one where it takes as long as the measurement may."""
    begin = time.perf_counter()
    step()
    count = 1
    while (elapsed := time.perf_counter() - begin) < seconds:
        if count >= WARM_UP_COUNT and elapsed >= seconds / 5:
            break
        step()
        count += 1


def _repeat(step, seconds, start, ends, errors):
    try:
        _warm_up(step, seconds)
        start.wait()
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            step()
            ends.append(time.perf_counter())
    except threading.BrokenBarrierError:
        pass
    except Exception as error:
        errors.append(error)
        start.abort()
