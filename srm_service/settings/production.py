"""Settings behind a TLS-terminating proxy, with keys from the environment and databases by URL."""

from django.core.exceptions import ImproperlyConfigured

from srm_service.settings.base import *  # noqa: F403
from srm_service.settings.base import SECRET_KEY, SRM_REDIS_URL, SRM_SECRET_KEYS, SRM_TRANSPORT_KEYS

_REQUIRED = {
    "SRM_DJANGO_SECRET_KEY": SECRET_KEY,
    "SRM_REDIS_URL": SRM_REDIS_URL,
    "SRM_SECRET_KEYS": SRM_SECRET_KEYS,
    "SRM_TRANSPORT_KEYS": SRM_TRANSPORT_KEYS,
}
_missing = [name for name, value in _REQUIRED.items() if not value]
if _missing:
    raise ImproperlyConfigured(f"set {', '.join(_missing)} in the environment")

SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_HSTS_SECONDS = 31_536_000
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
