from django.urls import path

from srm_service.remote.api.views import CredentialView, RemoteServiceListView

urlpatterns = [
    path("remote-services", RemoteServiceListView.as_view()),
    path("remote-services/credential", CredentialView.as_view()),
]
