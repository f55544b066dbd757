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

# subdomains and browsers' preload lists belong to the owner of the domain, not to one service in it
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_SSL_REDIRECT = True
SECURE_REDIRECT_EXEMPT = [r"^livez$", r"^readyz$"]  # probes ask without the proxy
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_HSTS_SECONDS = 31_536_000
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
