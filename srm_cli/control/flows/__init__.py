"""`srm-control flows`."""

from srm_cli.control.flows import orders  # registers its commands
from srm_cli.control.flows.commands import flows

__all__ = ["flows", "orders"]
