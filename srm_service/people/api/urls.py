from django.urls import path, register_converter
from django.urls.converters import StringConverter

from srm_service.people.api.own import OwnPasswordView, SessionListView, SessionView, TokenListView, TokenView
from srm_service.people.api.personal import PreferencesView, SavedViewListView, SavedViewView
from srm_service.people.api.users import (
    AddressUnlockView,
    UserListView,
    UserPasswordView,
    UserUnlockView,
    UserView,
)


class UserNameConverter(StringConverter):
    """Matches what is a user name, without NUL and spaces."""

    regex = r"[\w.@+-]+"


register_converter(UserNameConverter, "user")

urlpatterns = [
    path("me/password", OwnPasswordView.as_view()),
    path("me/preferences", PreferencesView.as_view()),
    path("me/views", SavedViewListView.as_view()),
    path("me/views/<int:view_id>", SavedViewView.as_view()),
    path("sessions", SessionListView.as_view()),
    path("sessions/<slug:ended>", SessionView.as_view()),
    path("tokens", TokenListView.as_view()),
    path("tokens/<slug:prefix>", TokenView.as_view()),
    path("users", UserListView.as_view()),
    path("users/<user:name>", UserView.as_view()),
    path("users/<user:name>/password", UserPasswordView.as_view()),
    path("users/<user:name>/unlock", UserUnlockView.as_view()),
    path("addresses/unlock", AddressUnlockView.as_view()),
]
