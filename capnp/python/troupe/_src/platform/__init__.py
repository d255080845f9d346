"""Services of Python and the operating system: logging, flags, files, processes."""
