"""Cluster definitions, servers, and the placement of variables on parameter servers."""
