"""Settings of a single machine with plain HTTP on a loopback port, the default of `srm up` and `manage.py`."""

from django.core.exceptions import ImproperlyConfigured

from srm_service.settings.base import *  # noqa: F403
from srm_service.settings.base import SECRET_KEY, SRM_HOME
from srm_service.settings.remote import local_address, remote_settings

if not SECRET_KEY:
    raise ImproperlyConfigured(
        f"SRM_DJANGO_SECRET_KEY is not set and {SRM_HOME}/secrets.json does not hold it: "
        "start with `srm up`, which creates the keys, or set the variable"
    )

SRM_REMOTE = remote_settings(default_address=local_address())

(SRM_HOME / "service").mkdir(parents=True, exist_ok=True)
(SRM_HOME / "metrics").mkdir(parents=True, exist_ok=True)
