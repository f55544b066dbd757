"""Lists the topics of a flow's source: what patterns would select, and the state of each topic."""

from collections import Counter, defaultdict
from dataclasses import replace

from replication.connectors.questions.flow_request import FlowRequest
from replication.domain.desired.desired_document import NamePatterns
from replication.domain.names.filters import NameFilter
from replication.domain.questions.topic_changes import copied_by_others, remote_names, second_copies
from replication.domain.questions.topic_preview import TopicPreview, preview
from replication.domain.questions.topic_state import SeenTopics, TopicStates, page_of, topic_states


def preview_patterns(request: FlowRequest, patterns: NamePatterns) -> TopicPreview:
    """Raises the errors of ClusterAdmin, and ConfigurationError for invalid patterns and settings."""
    tried = replace(request.flow, topics=patterns)
    NameFilter.of(patterns.allow, patterns.deny)  # invalid patterns are reported before a cluster is asked
    topics = request.source.list_topics()
    rules = request.rules(tried, topics)
    selection = request.selection(rules, topics)
    by_remote = copied_by_others(request.others)
    copied_by: defaultdict[str, tuple[str, ...]] = defaultdict(tuple)
    copied_by |= second_copies(rules.policy, topics, request.others)
    for topic in selection.wanted:
        if topic.remote in by_remote:
            copied_by[topic.upstream] = (*copied_by[topic.upstream], by_remote[topic.remote])
    return preview(
        rules,
        topics,
        selection,
        replicated=remote_names(request.plan),
        copied_by=copied_by,
        most=request.most_names,
    )


def list_states(request: FlowRequest, *, state: str, search: str, after: str, ordering: str = "") -> TopicStates:
    """Raises the errors of ClusterAdmin, and ConfigurationError for invalid patterns and settings."""
    topics = request.source.list_topics()
    rules = request.rules(request.flow, topics)
    seen = SeenTopics(
        rules=rules,
        partitions=topics,
        selection=request.selection(rules, topics),
        plan=request.plan,
        copied_by=copied_by_others(request.others),
    )
    states = topic_states(seen)
    found = page_of(states, state=state, search=search, after=after, ordering=ordering)
    items = found[: request.most_names]
    return TopicStates(
        source=request.id.source,
        target=request.id.target,
        items=items,
        counts=dict(Counter(each.state for each in states)),
        next_after=items[-1].topic if len(found) > len(items) else None,
    )
