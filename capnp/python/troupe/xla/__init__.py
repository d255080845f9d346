"""What programs say to XLA, which is not part of this runtime."""

from troupe.xla import experimental

__all__ = ["experimental"]
