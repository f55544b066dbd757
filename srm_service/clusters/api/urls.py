from django.urls import path

from srm_service.clusters.api.connection_views import ConnectionTestView, DefinitionTestView
from srm_service.clusters.api.discovery_views import AdoptionView, DiscoveredListView
from srm_service.clusters.api.views import ClusterDetailView, ClusterListView

urlpatterns = [
    path("clusters", ClusterListView.as_view()),
    path("clusters/discovered", DiscoveredListView.as_view()),
    path("clusters/discovered/adopt", AdoptionView.as_view()),
    path("clusters/test", DefinitionTestView.as_view()),
    path("clusters/<str:alias>", ClusterDetailView.as_view()),
    path("clusters/<str:alias>/test", ConnectionTestView.as_view()),
]
