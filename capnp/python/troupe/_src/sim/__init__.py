"""Simulated clusters, and the plugin for pytest that runs tests with them."""
