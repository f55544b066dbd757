"""Content negotiation of answers that are not JSON."""

from collections.abc import Iterable

from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import BaseContentNegotiation, DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from srm_service.core.api.files.csv_lists import accepts_csv


class AnyAccepted(BaseContentNegotiation):
    """For views with one form of answer, such as text: any `Accept` gets it, and errors are problem documents."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        return next(iter(parsers), None)

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


class ListNegotiation(DefaultContentNegotiation):
    """For all other views: JSON, which a list turns into CSV itself (csv_lists.py); its errors remain JSON."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        view = (request.parser_context or {}).get("view")
        handler = getattr(view, (request.method or "").lower(), None)
        if getattr(handler, "is_list", False) and accepts_csv(request.headers.get("Accept", "")):
            renderer = next(iter(renderers))
            return renderer, renderer.media_type
        try:
            chosen: tuple[BaseRenderer, str] = super().select_renderer(request, renderers, format_suffix)
        except NotAcceptable:
            if view is not None:  # who may not read at all is told so first
                view.check_permissions(request)
            raise
        return chosen
