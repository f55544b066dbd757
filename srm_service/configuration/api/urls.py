from django.urls import path

from srm_service.configuration.api.drafts import DraftApplyView, DraftListView, DraftView
from srm_service.configuration.api.keys import EffectiveView, KeyListView
from srm_service.configuration.api.properties import PropertyExportView, PropertyImportView, PropertyListView
from srm_service.configuration.api.versions import VersionDiffView, VersionListView, VersionRevertView, VersionView

urlpatterns = [
    path("settings", KeyListView.as_view()),
    path("properties", PropertyListView.as_view()),
    path("properties/import", PropertyImportView.as_view()),
    path("properties/export", PropertyExportView.as_view()),
    path("replications/<str:source>/<str:target>/effective", EffectiveView.as_view()),
    path("config/drafts", DraftListView.as_view()),
    path("config/drafts/<int:draft_id>", DraftView.as_view()),
    path("config/drafts/<int:draft_id>/apply", DraftApplyView.as_view()),
    path("config/versions", VersionListView.as_view()),
    path("config/versions/<int:number>", VersionView.as_view()),
    path("config/versions/<int:number>/revert", VersionRevertView.as_view()),
    path("config/diff", VersionDiffView.as_view()),
]
