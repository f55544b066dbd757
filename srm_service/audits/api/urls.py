from django.urls import path

from srm_service.audits.api.estimate import AuditEstimateView
from srm_service.audits.api.views import AuditListView, AuditStandingView, AuditView, FindingListView, ReportView

_FLOW = "replications/<str:source>/<str:target>"
_AUDITS = f"{_FLOW}/audits"

urlpatterns = [
    path(_AUDITS, AuditListView.as_view()),
    path(f"{_AUDITS}/state", AuditStandingView.as_view()),
    path(f"{_AUDITS}/estimate", AuditEstimateView.as_view()),
    path(f"{_AUDITS}/<int:audit_id>", AuditView.as_view()),
    path(f"{_AUDITS}/<int:audit_id>/findings", FindingListView.as_view()),
    path(f"{_AUDITS}/<int:audit_id>/report", ReportView.as_view()),
]
