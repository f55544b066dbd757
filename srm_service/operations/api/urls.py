from django.urls import path

from srm_service.operations.api.audits import AuditListView, AuditStandingView, AuditView, FindingListView, ReportView
from srm_service.operations.api.holds import HoldListView, HoldView
from srm_service.operations.api.resets import ResetListView, ResetView

_FLOW = "replications/<str:source>/<str:target>"
_AUDITS = f"{_FLOW}/audits"

urlpatterns = [
    path(_AUDITS, AuditListView.as_view()),
    path(f"{_AUDITS}/state", AuditStandingView.as_view()),
    path(f"{_AUDITS}/<int:audit_id>", AuditView.as_view()),
    path(f"{_AUDITS}/<int:audit_id>/findings", FindingListView.as_view()),
    path(f"{_AUDITS}/<int:audit_id>/report", ReportView.as_view()),
    path(f"{_FLOW}/holds", HoldListView.as_view()),
    path(f"{_FLOW}/holds/<int:hold_id>", HoldView.as_view()),
    path(f"{_FLOW}/resets", ResetListView.as_view()),
    path(f"{_FLOW}/resets/<slug:reset_id>", ResetView.as_view()),
]
