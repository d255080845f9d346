"""usage: instruction_sets_test.py NM NAMESPACE OBJECT...

Fails where an object that is compiled for more instructions than others has a function that the
linker might put in the place of another object's: one whose name has neither its own namespace of
Eigen nor, as the routines' have, the instructions that it is for.
"""

import re
import subprocess
import sys


def shared_functions(nm, namespace, objects):
    listed = subprocess.run(
        [nm, "--defined-only", "--demangle", *objects], check=True, capture_output=True, text=True
    )
    functions = re.findall(r"^[0-9a-f]+ [WuT] (.*)$", listed.stdout, re.MULTILINE)
    if not functions:
        sys.exit("the objects have no functions at all")
    allowed = (f"{namespace}::", "<(troupe::cpu::routines::Instructions)")
    return [name for name in functions if not any(part in name for part in allowed)]


def main():
    nm, namespace, *objects = sys.argv[1:]
    found = shared_functions(nm, namespace, objects)
    for name in found:
        print("also elsewhere, perhaps:", name)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
