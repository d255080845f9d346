"""Networks of several layers as cuDNN has them, on any device."""
