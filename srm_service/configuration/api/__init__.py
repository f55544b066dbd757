"""REST resources of the configuration: keys, properties, drafts and versions."""
