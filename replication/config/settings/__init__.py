"""The settings of a file by level: names, prefixes, effective values, findings and their documentation."""
