"""Linear models of features that approximate a kernel."""
