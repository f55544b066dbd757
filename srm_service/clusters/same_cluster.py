"""One Kafka cluster under two aliases: a flow between them would copy a cluster into itself."""

from srm_service.clusters.reachability import board
from srm_service.clusters.selectors import cluster_ids


def same_cluster_warning(alias: str, cluster_id: str | None) -> str:
    """Name the other clusters that answered with this id; empty if there is none, or none has answered yet."""
    if cluster_id is None:
        return ""
    others = set(board.aliases_of(cluster_id)) - {alias}
    stored = sorted(others & cluster_ids().keys()) if others else []
    return f"This is the same Kafka cluster (id {cluster_id}) as {', '.join(stored)}." if stored else ""
