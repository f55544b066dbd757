"""`srm-control flows` and `srm-control orders`."""

from srm_cli.control.flows import many_flows, verbs  # they register their commands
from srm_cli.control.flows.commands import flows
from srm_cli.control.flows.order_rows import orders

__all__ = ["flows", "many_flows", "orders", "verbs"]
