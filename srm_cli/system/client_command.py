"""The command line of `srm-control` for a service on this machine, from any shell."""

import shlex
import sys
from pathlib import Path

from srm_cli.system.processes import SystemPlan


def client_command(plan: SystemPlan) -> str:
    """Return `srm-control` with the address and the password file of the plan."""
    client = Path(sys.executable).with_name("srm-control")
    words = (str(client), "--url", plan.url, "--password-file", str(plan.folder.admin_password_file))
    return shlex.join(words)
