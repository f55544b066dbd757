from django.urls import path

from srm_service.operations.api.audits import AuditListView, AuditView, FindingListView, ReportView

_AUDITS = "replications/<str:source>/<str:target>/audits"

urlpatterns = [
    path(_AUDITS, AuditListView.as_view()),
    path(f"{_AUDITS}/<int:audit_id>", AuditView.as_view()),
    path(f"{_AUDITS}/<int:audit_id>/findings", FindingListView.as_view()),
    path(f"{_AUDITS}/<int:audit_id>/report", ReportView.as_view()),
]
