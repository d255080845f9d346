"""Strategies of distribution with one replica or several in a program."""
