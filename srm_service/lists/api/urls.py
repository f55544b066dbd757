from django.urls import path

from srm_service.lists.api.views import ControlListView

urlpatterns = [
    path("replications/<str:source>/<str:target>/lists/<str:kind>", ControlListView.as_view()),
]
