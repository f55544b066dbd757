"""Serves the built page's hashed files under /assets/ beside Django's static files under /static/."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware


class UiFilesMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]  # whitenoise has no type information
    """WhiteNoise with one more folder; index.html is not served, because it needs a nonce and a login."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        super().__init__(get_response)
        assets = settings.FRONTEND_DIST / "assets"
        if assets.is_dir():
            self.add_files(str(assets), prefix="assets/")
