"""What all layers have besides their variables: arguments by name, configurations, connections."""
