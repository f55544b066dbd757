"""`python -m srm_cli.system.peer_tokens GATEWAY OTHER...`: stores a token of each other service at the gateway.

An argument is `ADDRESS=FILE` with the password of the admin in the file. Tokens of earlier runs are revoked.
"""

import sys
from pathlib import Path

from srm_cli.service.rest import ServiceClient

_NAME = "gateway of the demonstration"


def main(arguments: list[str]) -> None:
    gateway, *others = (_opened(each) for each in arguments)
    for address, other in others:
        earlier = [token for token in other.pages("/tokens") if token["name"] == _NAME and token["state"] == "active"]
        token = other.send("POST", "/tokens", {"name": _NAME, "scopes": ["peer"]})
        gateway[1].send("PUT", "/remote-services/credential", {"address": address, "token": token["token"]})
        for each in earlier:
            other.send("DELETE", f"/tokens/{each['id']}")
        print(f"{gateway[0]} may ask {address}")


def _opened(argument: str) -> tuple[str, ServiceClient]:
    address, _, file = argument.partition("=")
    return address, ServiceClient(address, "admin", Path(file).read_text().strip())


if __name__ == "__main__":
    main(sys.argv[1:])
