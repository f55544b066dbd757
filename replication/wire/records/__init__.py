"""Single records of many producers, sent together over one link per cluster."""
