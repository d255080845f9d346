"""Element types, shapes and errors."""
