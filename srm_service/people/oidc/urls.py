from django.urls import path

from srm_service.people.oidc.views import ProviderCallbackView, ProviderLoginView

urlpatterns = [
    path("login", ProviderLoginView.as_view(), name="oidc-login"),
    path("callback", ProviderCallbackView.as_view(), name="oidc-callback"),
]
