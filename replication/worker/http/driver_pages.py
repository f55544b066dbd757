"""The pages of a driver process: liveness, readiness, metrics."""

from replication.worker.http.driver_report import DriverReport
from replication.worker.http.http_port import HttpPort, PageContent
from replication.worker.http.http_settings import HttpSettings
from replication.worker.http.metrics_page import metrics_page


def open_http_port(settings: HttpSettings | None, report: DriverReport) -> HttpPort | None:
    """Open the port if it is on; the caller starts it. Raises HttpPortError."""
    if settings is None:
        return None
    health = report.health
    return HttpPort(
        settings,
        {
            "/livez": lambda: PageContent.probe(health.not_alive()),
            "/readyz": lambda: PageContent.probe(health.not_ready()),
            "/metrics": lambda: metrics_page(report),
        },
    )
