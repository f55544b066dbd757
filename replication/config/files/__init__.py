"""Reading configuration files: their syntax, dialects, levels and values kept elsewhere."""
