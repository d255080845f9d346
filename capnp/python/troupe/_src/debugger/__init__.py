"""The debugger: what the tensors of a step are, shown at a prompt or written to files."""
