"""Options of commands that call the service: its URL and the user's credentials."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from srm_cli.errors import OperatorError
from srm_cli.machine.home import home_folder

if TYPE_CHECKING:
    from srm_cli.service.rest import ServiceClient

_Command = Callable[..., Any]


class ServiceAccess(NamedTuple):
    """The URL of the service and the user's credentials."""

    url: str
    user: str
    password_file: Path | None
    token: str | None = None

    def client(self) -> "ServiceClient":
        """Return a client. Raises OperatorError when the password cannot be read."""
        from srm_cli.service.rest import ServiceClient  # httpx takes a while to load; --help does without

        if self.token is not None:
            return ServiceClient(self.url, self.user, "", token=self.token)
        return ServiceClient(self.url, self.user, read_password(self.password_file))


def default_url() -> str:
    """Return the URL of a service on this machine."""
    return f"http://localhost:{os.environ.get('SRM_PORT', '6670')}"


def service_options(command: _Command) -> _Command:
    """`--url`, `--user`, `--password-file`, each with its environment variable."""
    url = click.option(
        "--url",
        default=default_url,
        show_default="http://localhost:6670, or the port SRM_PORT names",
        envvar="SRM_URL",
        help="URL of the service.",
    )
    user = click.option("--user", default="admin", show_default=True, envvar="SRM_USER", help="User name.")
    password = click.option(
        "--password-file",
        type=click.Path(path_type=Path, dir_okay=False),
        default=None,
        envvar="SRM_PASSWORD_FILE",
        help="File with the password.  [default: SRM_HOME/admin-password]",
    )
    return url(user(password(command)))


def read_password(path: Path | None) -> str:
    """Read the password, by default that of this machine's first administrator. Raises OperatorError."""
    chosen = path or home_folder().admin_password_file
    try:
        return chosen.read_text().strip()
    except OSError as error:
        raise OperatorError(
            f"cannot read the password from {chosen} ({error.strerror}): set --password-file"
        ) from error
