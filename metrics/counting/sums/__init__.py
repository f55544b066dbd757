"""The values of a tile: sums that add up in any order, and the histograms among them."""
