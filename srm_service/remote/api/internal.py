"""What other services ask this one first: who it is."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.config.release import version
from srm_service.core.auth.permissions import PeerPermission
from srm_service.core.clock import now_ms
from srm_service.flows.selectors import reported_targets
from srm_service.people.auth.token_auth import TokenAuthentication
from srm_service.remote.asking.requests import PROTOCOL
from srm_service.remote.services import own_service


class InternalView(APIView):
    """Only API tokens with the scope `peer` open the views of this class."""

    authentication_classes = [TokenAuthentication]
    permission_classes = [PeerPermission]


class ServiceView(InternalView):
    def get(self, request: Request) -> Response:
        return Response({**hello(), "targets": sorted(reported_targets())})


def hello() -> dict[str, Any]:
    """Return the fields with which every answer to another service begins."""
    return {"v": PROTOCOL, "service": own_service(), "version": version(), "time_ms": now_ms()}
