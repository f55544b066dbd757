"""Settings of tests: separate keys, in-memory databases, no Redis by default, a fast password hash."""

import tempfile
from pathlib import Path

from cryptography.fernet import Fernet

from srm_service.settings.base import *  # noqa: F403
from srm_service.settings.base import BASE_DIR
from srm_service.settings.remote import RemoteSettings

SECRET_KEY = "only-for-tests-and-the-schema-command"  # noqa: S105
SRM_HOME = Path(tempfile.gettempdir()) / "srm-service-tests"
SRM_REDIS_URL = ""
SRM_ANSWERS_AHEAD = False  # another thread does not see the transaction of a test
SRM_SECRET_KEYS = (Fernet.generate_key().decode(),)
SRM_TRANSPORT_KEYS = (Fernet.generate_key().decode(),)
SRM_REMOTE = RemoteSettings(advertised="http://127.0.0.1:6670", allowed=frozenset({"https://peer.example:443"}))
FRONTEND_DIST = BASE_DIR / "frontend" / "dist-of-no-build"
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]

DATABASES = {
    "default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"},
    "metrics": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"},
}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
