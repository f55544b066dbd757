"""The login page."""

from typing import Any

from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse

from srm_service.people.attempts import TooManyAttemptsError
from srm_service.people.sessions import session_started

LOGIN_ERROR = "login_error"  # key of the session: the reason of a failed login at the provider


class LoginForm(AuthenticationForm):
    """Django's form, in the words of the login page."""

    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": "The user name or the password is wrong.",
    }


class PasswordLoginView(LoginView):
    """Django's login page; too many attempts are answered with 429 and the time to wait."""

    redirect_authenticated_user = True
    authentication_form = LoginForm

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        error = self.request.session.pop(LOGIN_ERROR, "")
        return {**super().get_context_data(**kwargs), "has_provider": bool(settings.SRM_OIDC.issuer), "error": error}

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            response: HttpResponse = super().post(request, *args, **kwargs)
        except TooManyAttemptsError as error:
            return self._refused(error)
        return response

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        session_started(form.get_user().get_username())
        return response

    def _refused(self, error: TooManyAttemptsError) -> HttpResponse:
        form = LoginForm(self.request)
        context = self.get_context_data(form=form, wait_minutes=-(-error.wait_s // 60))
        response: HttpResponse = self.render_to_response(context, status=429)
        response.headers["Retry-After"] = str(error.wait_s)
        return response
