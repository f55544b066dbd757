"""The settings of flows, each declared once in `registry`, and the typed objects that are read from them."""
