"""What `import tensorflow` finds in a process that a program spawned: makes it an alias there."""

import importlib
import sys

from troupe._src.api.alias import install

del sys.modules[__name__]
install()
importlib.import_module(__name__)
