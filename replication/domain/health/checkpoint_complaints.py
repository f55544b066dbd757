"""Complaints about the checkpoints of a flow; copying is not concerned."""

from collections.abc import Iterator

from replication.domain.health.flow_facts import FlowFacts, StatusCause


def checkpoint_complaints(facts: FlowFacts, has_run_long: bool) -> Iterator[str]:
    """Yield the complaints, worst first; tasks that have not started count once the flow has run for a while."""
    wanted = 0 if facts.plan is None else facts.plan.checkpoint_tasks
    failed = sum(task.state == "failed" for task in facts.checkpoint_tasks)
    total = max(wanted, len(facts.checkpoint_tasks))
    if failed:
        yield f"{failed} of {total} checkpoint tasks failed, so their consumer groups are not translated"
    elif len(facts.checkpoint_tasks) < wanted and has_run_long:
        yield f"only {len(facts.checkpoint_tasks)} of {wanted} checkpoint tasks run: is a control worker running?"
    if facts.plan is not None and facts.plan.groups_problem is not None:
        yield "new consumer groups are not found"


def checkpoint_cause(facts: FlowFacts) -> StatusCause | None:
    """Return the first cause that a checkpoint task or the planner gives."""
    causes = [task.cause for task in facts.checkpoint_tasks if task.state == "failed" and task.cause is not None]
    if not causes and facts.plan is not None and facts.plan.groups_problem is not None:
        return facts.plan.groups_problem
    return min(causes, key=lambda cause: cause.since_ms or 0, default=None)
