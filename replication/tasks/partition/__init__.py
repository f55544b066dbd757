"""One partition on its way: what is fetched, queued, sent and done, each in a part that owns its state."""
