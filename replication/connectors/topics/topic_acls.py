"""Copies ACLs of upstream topics to the remote topics, once per interval."""

from collections.abc import Iterable, Mapping

import structlog

from replication.codecs.applied_records import AppliedSettings
from replication.connectors.plan.source_settings import SourceSettings
from replication.connectors.topics.applied_ledger import AppliedLedger
from replication.domain.errors import AuthorizationError
from replication.domain.plan.acl import ALL_TOPICS, AclSteps, TopicAcl, diff_acls, wanted_acls
from replication.domain.plan.plan_document import PlanWarning, plan_warning
from replication.domain.plan.rights import Right, grant_commands
from replication.domain.settings.registry.planning import SYNC_ACLS
from replication.ports.admin import ClusterAdmin, RefusedAcl

log = structlog.get_logger(__name__)
_SHOWN = 5
_NO_AUTHORIZER = "SECURITY_DISABLED"


class TopicAcls:
    """Blocking; one thread at a time. A refused ACL is a warning and does not stop the flow."""

    def __init__(
        self, source: ClusterAdmin, target: ClusterAdmin, settings: SourceSettings, ledger: AppliedLedger
    ) -> None:
        self._source = source
        self._target = target
        self._settings = settings
        self._ledger = ledger
        self._last_ms: int | None = None
        self._warnings: tuple[PlanWarning, ...] = ()

    @property
    def warnings(self) -> tuple[PlanWarning, ...]:
        return self._warnings

    def sync(self, remote_of: Mapping[str, str], now_ms: int) -> None:
        """Copy ACLs when the interval has passed; `remote_of` maps replicated topics to their remote topics."""
        is_due = self._last_ms is None or now_ms - self._last_ms >= self._settings.acl_interval_s * 1000
        if not self._settings.syncs_acls or not is_due:
            return
        self._last_ms = now_ms
        try:
            self._warnings = self._sync(remote_of)
        except AuthorizationError as error:
            self._warnings = (self._not_allowed(error),)

    def _sync(self, remote_of: Mapping[str, str]) -> tuple[PlanWarning, ...]:
        upstream = self._source.topic_acls()
        wanted = wanted_acls(upstream, remote_of)
        owned = self._owned(remote_of.values())
        if not upstream and not owned:
            return ()
        actual = self._target.topic_acls()
        steps = diff_acls(wanted, frozenset(actual), owned, prune=self._settings.prunes_acls)
        self._remember(
            owned | set(steps.create), steps
        )  # before the change: an ACL that is not recorded is never reverted
        refused = (*self._target.create_acls(steps.create), *self._target.delete_acls(steps.delete))
        self._remember((owned | set(steps.create)) - set(steps.delete) - {each.acl for each in refused}, steps)
        done = len(steps.create) + len(steps.delete) - len(refused)
        if done:
            log.info("topic ACLs copied", cluster=self._target.alias, acls=done)
        if any(each.code == _NO_AUTHORIZER for each in refused):
            return (self._no_authorizer(len(wanted)),)
        return (*_wildcard_warnings(self._target.alias, upstream, actual), *self._refusals(refused))

    def _owned(self, remotes: Iterable[str]) -> frozenset[TopicAcl]:
        return frozenset(
            TopicAcl(topic=remote, entry=entry) for remote in remotes for entry in self._ledger.of(remote).acls
        )

    def _remember(self, ours: frozenset[TopicAcl], steps: AclSteps) -> None:
        for remote in {acl.topic for acl in (*steps.create, *steps.delete)}:
            entries = frozenset(acl.entry for acl in ours if acl.topic == remote)
            self._ledger.put(remote, AppliedSettings(configs=self._ledger.of(remote).configs, acls=entries))
        self._ledger.flush()

    def _no_authorizer(self, count: int) -> PlanWarning:
        return plan_warning(
            "acls_not_synced",
            f"{count} ACLs of topics are not carried over: cluster {self._target.alias} has no authorizer; give it "
            f"one, or set {SYNC_ACLS}=false",
            cluster=self._target.alias,
        )

    def _not_allowed(self, error: AuthorizationError) -> PlanWarning:
        admin = self._source if error.cluster == self._source.alias else self._target
        command = self._grant(admin, "describe")
        return plan_warning(
            "acls_not_synced",
            f"ACLs of topics are not carried over: {error.text}; grant it ({command}), or set {SYNC_ACLS}=false",
            cluster=admin.alias,
        )

    def _refusals(self, refused: Iterable[RefusedAcl]) -> tuple[PlanWarning, ...]:
        each = list(refused)
        if not each:
            return ()
        shown = "; ".join(f"{_words(one.acl)} on {one.acl.topic}" for one in each[:_SHOWN])
        return (
            plan_warning(
                "acls_refused",
                f"cluster {self._target.alias} refused {len(each)} ACLs ({each[0].text}, {each[0].code}): {shown}; "
                f"grant it ({self._grant(self._target, 'alter')}), or set {SYNC_ACLS}=false",
                cluster=self._target.alias,
            ),
        )

    def _grant(self, admin: ClusterAdmin, operation: str) -> str:
        right = Right(kind="cluster", name="", operation=operation)
        return " && ".join(grant_commands(admin.servers, admin.principal, [right]))


def _wildcard_warnings(
    target: str, upstream: Iterable[TopicAcl], actual: Iterable[TopicAcl]
) -> tuple[PlanWarning, ...]:
    """Warnings about principals that may read all topics of the source, but not of the target."""
    there = {acl.entry for acl in actual if acl.topic == ALL_TOPICS}
    missing = {acl.entry for acl in upstream if acl.topic == ALL_TOPICS and acl.pattern == "literal"} - there
    principals = sorted({entry.principal for entry in missing if entry.operation != "write"})
    if not principals:
        return ()
    return (
        plan_warning(
            "acls_of_all_topics",
            "ACLs of all topics (*) are not copied, because they would cover more than the remote topics; grant "
            f"{', '.join(principals[:_SHOWN])} the required rights on {target}",
            cluster=target,
        ),
    )


def _words(acl: TopicAcl) -> str:
    entry = acl.entry
    return f"{entry.permission.upper()} {entry.operation.upper()} to {entry.principal} from {entry.host}"
