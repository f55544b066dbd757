"""Secrets in files: `SRM_REDIS_URL_FILE=/run/secrets/redis-url` stands for `SRM_REDIS_URL`, and so on.

Container platforms mount secrets as files, which `docker inspect` and /proc/<pid>/environ of other processes do not
show.
"""

from collections.abc import MutableMapping
from pathlib import Path

from srm_cli.errors import OperatorError

SECRETS = (
    "SRM_REDIS_URL",
    "SRM_TRANSPORT_KEYS",
    "SRM_SECRET_KEYS",
    "SRM_DJANGO_SECRET_KEY",
    "SRM_DATABASE_URL",
    "SRM_METRICS_DATABASE_URL",
    "SRM_OIDC_CLIENT_SECRET",
)


def read_secret_files(environment: MutableMapping[str, str]) -> None:
    """Set each secret from the file that its `_FILE` variable names.

    Raises:
        OperatorError: a file cannot be read or is empty, or both variables are set.
    """
    for name in SECRETS:
        path = environment.pop(f"{name}_FILE", "").strip()
        if not path:
            continue
        if environment.get(name, "").strip():
            raise OperatorError(f"{name} and {name}_FILE are both set: remove one of them")
        environment[name] = _read(name, Path(path))


def _read(name: str, path: Path) -> str:
    try:
        text = path.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not a text"
        raise OperatorError(f"{name}_FILE: cannot read {path}: {reason}") from error
    if not text:
        raise OperatorError(f"{name}_FILE: {path} is empty")
    return text
