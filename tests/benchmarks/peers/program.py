"""What the programs of the workloads share."""

MIB = 1 << 20


def task(job, index=0):
    return f"/job:{job}/task:{index}"


def microseconds(times):
    return [time_s * 1e6 for time_s in times]


def check_equal(got, wanted):
    if list(got) != list(wanted):
        raise AssertionError(f"the step returned {got}, not {wanted}")
