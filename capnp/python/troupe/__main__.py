"""`python -m troupe PROGRAM.py`: runs a program in which `import tensorflow` is this package."""

import sys

from troupe._src.api.run_program import run_program

run_program(sys.argv[1:])
