"""Named containers of variables and other modules."""
