"""Scales of losses, and what makes sessions compute in float16 where that is fast."""
