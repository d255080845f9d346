"""Solutions of ordinary differential equations."""
