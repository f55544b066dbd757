"""The live document of a slot on a virtual clock, with the real parts that it reads."""

from replication.tasks.control.orders import Orders
from replication.tasks.control.restarts import PartitionRestarts
from replication.tasks.offsets.gap_handler import GapHandler
from replication.tasks.offsets.gap_log import GapLog
from replication.tasks.offsets.position_committer import PositionCommitter
from replication.tasks.plan_follower import PlanFollower
from replication.tasks.produce.slot_takeover import SlotTakeover
from replication.tasks.rejected_records.rejected_log import RejectedLog
from replication.tasks.reporting.gauge import SlotGauge
from replication.tasks.reporting.live_document import LiveDocument
from replication.tasks.reporting.progress_watch import ProgressWatch
from replication.tasks.reporting.slot_metrics import SlotMetrics
from replication.tasks.slot_context import SlotContext
from tests.unit.replication.tasks.noted_events import NotedEvents


def a_live_document(context: SlotContext) -> tuple[LiveDocument, SlotMetrics]:
    """Return the live document of a slot, and the raw metrics of the same partitions."""
    gauge, gap_log, rejected_log, events = SlotGauge(context), GapLog(), RejectedLog(), NotedEvents()
    gaps, metrics = GapHandler(context, gap_log), SlotMetrics(context, gap_log, rejected_log)
    committer, orders = PositionCommitter(context, gaps), Orders(context, events, gaps)
    follower = PlanFollower(context, events, committer, orders, SlotTakeover(context))
    live = LiveDocument(
        context,
        progress=ProgressWatch(context, events),
        metrics=metrics,
        gauge=gauge,
        committer=committer,
        transactions=None,
        gap_log=gap_log,
        rejected_log=rejected_log,
        restarts=PartitionRestarts(context, events, committer, orders, follower),
    )
    return live, metrics
