"""Maintenance jobs of the configuration."""

from celery import shared_task

from srm_service.configuration.services import derive_again

DERIVE_AGAIN = "srm.configuration.derive_again"


@shared_task(name=DERIVE_AGAIN, expires=30)
def look_up_references() -> bool:
    """Look up references such as `${file:...}` again; True if clusters or flows have changed."""
    return derive_again()
