"""Reads orders to drivers, and the processes that they mean."""

from srm_service.core.clock import epoch_ms
from srm_service.drivers.contracts import DrainDto, RestartDto
from srm_service.drivers.models import DriverDrain, DriverRestart
from srm_service.monitoring.drivers import drivers_now
from srm_service.monitoring.flows.live_state import LiveSnapshot


def drain_of(driver: str) -> DrainDto | None:
    """Return the drain that names this driver or process."""
    row = DriverDrain.objects.filter(driver=driver).first()
    return None if row is None else drain_dto(row)


def driver_ids(live: LiveSnapshot) -> tuple[str, ...]:
    """Return the ids of all reporting drivers."""
    return tuple(sorted({row.parent for row in drivers_now(live)}))


def drain_dto(row: DriverDrain) -> DrainDto:
    expires_ms = None if row.expires_at is None else epoch_ms(row.expires_at)
    return DrainDto(reason=row.reason, by=row.ordered_by, since_ms=epoch_ms(row.ordered_at), expires_ms=expires_ms)


def restart_dto(row: DriverRestart) -> RestartDto:
    return RestartDto(id=row.key, by=row.ordered_by, since_ms=epoch_ms(row.ordered_at), until_ms=epoch_ms(row.until))
