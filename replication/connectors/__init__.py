"""Plans flows over both clusters: preflight, topic creation, configs and ACLs, takeover."""
