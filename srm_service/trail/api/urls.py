from django.urls import path

from srm_service.trail.api.views import TrailEntryView, TrailExportView, TrailListView

urlpatterns = [
    path("trail", TrailListView.as_view()),
    path("trail/export", TrailExportView.as_view()),
    path("trail/<int:entry_id>", TrailEntryView.as_view()),
]
