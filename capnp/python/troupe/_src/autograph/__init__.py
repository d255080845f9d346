"""AutoGraph: control flow of Python in functions becomes that of the graph."""
