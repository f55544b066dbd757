"""The checkpoint task of a flow: translates the committed offsets of its groups, and writes them to the target."""
