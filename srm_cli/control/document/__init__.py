"""The whole system as one YAML document: what it contains, how two of them differ, and how one is applied."""
