"""Lists the consumer groups of a flow's source that patterns would select."""

from replication.config.flows.policies import returned_topics
from replication.connectors.groups.group_catalog import GroupCatalog
from replication.connectors.questions.flow_request import FlowRequest
from replication.domain.desired.desired_document import NamePatterns
from replication.domain.errors import ConfigurationError
from replication.domain.names.filters import NameFilter
from replication.domain.questions.group_preview import GroupPreview, SeenGroups, group_preview
from replication.ports.groups.group_admin import GroupAdmin


def preview_groups(request: FlowRequest, patterns: NamePatterns) -> GroupPreview:
    """Read groups and their offsets as a planning run does.

    Raises the source's errors, and ConfigurationError for invalid patterns and settings.
    """
    groups = NameFilter.of(patterns.allow, patterns.deny)  # invalid patterns are reported before a cluster is asked
    if request.open_group_admins is None:
        raise ConfigurationError("this driver cannot ask for consumer groups")
    admins = request.open_group_admins()
    try:
        seen = _seen(request, groups, admins[0])
    finally:
        for admin in admins:
            admin.close()
    return group_preview(request.id.source, request.id.target, groups, seen, most=request.most_names)


def _seen(request: FlowRequest, groups: NameFilter, source: GroupAdmin) -> SeenGroups:
    listed = source.list_groups()
    catalog = GroupCatalog(source, groups, returned_topics(request.flow, request.id.target))
    found = catalog.choose(listed, request.now_ms)
    return SeenGroups(listed=listed, translated=found.translated, skipped=found.skipped)
