"""Strategies of distribution with one replica in a program."""
