"""What programs say to XLA, which is not part of this runtime."""

from troupe.contrib.compiler import jit, xla

__all__ = ["jit", "xla"]
