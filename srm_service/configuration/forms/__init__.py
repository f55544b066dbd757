"""Forms of clusters, flows and properties as changes of the property tree."""
