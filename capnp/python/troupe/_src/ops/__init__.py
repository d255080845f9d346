"""Functions that add nodes: conversion of values, and the wrappers of the ops."""
