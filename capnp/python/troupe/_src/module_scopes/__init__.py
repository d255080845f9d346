"""What modules, layers and operators share: the scopes of their names."""
