"""Serves index.html of the built frontend with the CSP nonce of the response."""

from collections.abc import Callable
from functools import lru_cache, wraps
from pathlib import Path

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie

from srm_service.core.api.problem import problem_response
from srm_service.core.web.callers import is_program

_NONCE_MARK = "__CSP_NONCE__"
_NOT_BUILT = (
    "The page is not built yet. Build it with\n\n"
    "    cd frontend && npm ci && npm run build\n\n"
    "and restart the service. The API works without it: see /swagger/\n"
)


def _for_people(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Answer programs with 401 or 404 instead of a login page."""

    @wraps(view)
    def answer(request: HttpRequest, path: str = "") -> HttpResponse:
        if not is_program(request):
            return view(request, path)
        if request.user.is_authenticated or "Authorization" in request.headers:
            return problem_response(404, f"there is no resource at {request.path}; see /swagger/", request.path)
        return problem_response(401, "the page needs a session, and the API is below /api/v2/", request.path)

    return answer


@never_cache
@_for_people
@login_required
@ensure_csrf_cookie
def page(request: HttpRequest, path: str = "") -> HttpResponse:
    """Serve the page for all remaining paths, which its router handles; a missing file is a 404."""
    if "/" not in path and Path(path).suffix:
        raise Http404(f"/{path}")
    html = _index(settings.FRONTEND_DIST / "index.html")
    if html is None:
        return HttpResponse(_NOT_BUILT, status=503, content_type="text/plain; charset=utf-8")
    nonce = str(request.csp_nonce)  # type: ignore[attr-defined]  # set by django-csp
    return HttpResponse(html.replace(_NONCE_MARK, nonce))


def _index(path: Path) -> str | None:
    try:
        return _read(path, path.stat().st_mtime_ns)
    except FileNotFoundError:
        return None


@lru_cache(maxsize=2)
def _read(path: Path, changed_ns: int) -> str:
    return path.read_text(encoding="utf-8")
