"""The page that Django delivers, built or not."""

from pathlib import Path
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory
from rest_framework.test import APIClient

from srm_service.core.web.ui_files import UiFilesMiddleware
from tests.component.service.conftest import BOTH

pytestmark = BOTH


@pytest.fixture
def built(tmp_path: Path, settings: Any) -> Path:
    (tmp_path / "index.html").write_text('<meta name="csp-nonce" content="__CSP_NONCE__">')
    settings.FRONTEND_DIST = tmp_path
    return tmp_path


def test_without_a_login_the_page_leads_to_the_login(built: Path) -> None:
    response = Client().get("/replications/us-east/eu-central")

    assert response.status_code == 302
    assert response["Location"] == "/login?next=/replications/us-east/eu-central"


def test_every_path_of_the_page_gets_the_index_with_its_nonce(viewer: APIClient, built: Path) -> None:
    response = viewer.get("/replications/us-east/eu-central")

    nonce = response.content.decode().split('content="')[1].split('"')[0]
    assert f"'nonce-{nonce}'" in response["Content-Security-Policy"]
    assert "csrftoken" in response.cookies


def test_two_answers_have_two_nonces(viewer: APIClient, built: Path) -> None:
    assert viewer.get("/").content != viewer.get("/").content


def test_an_alias_with_a_dot_is_a_page_not_a_file(viewer: APIClient, built: Path) -> None:
    assert viewer.get("/replications/dc1.example/dc2.example").status_code == 200


def test_a_page_that_is_not_built_says_how_to_build_it(viewer: APIClient) -> None:
    response = viewer.get("/")

    assert response.status_code == 503
    assert "npm run build" in response.content.decode()


def test_the_login_has_the_icon_of_the_page_which_needs_no_login(built: Path) -> None:
    (built / "assets").mkdir()
    (built / "assets" / "icon.svg").write_text("<svg/>")
    middleware = UiFilesMiddleware(lambda _: HttpResponse(status=401))

    assert '<link rel="icon" type="image/svg+xml" href="/assets/icon.svg">' in Client().get("/login").content.decode()
    assert middleware(RequestFactory().get("/assets/icon.svg")).status_code == 200


def test_a_missing_file_is_not_answered_with_the_page(viewer: APIClient, built: Path) -> None:
    assert viewer.get("/favicon.ico").status_code == 404
    assert viewer.get("/assets/gone.js").status_code == 404


def test_the_api_reference_sends_a_person_to_the_login_and_works_with_a_session(viewer: APIClient) -> None:
    assert Client().get("/swagger/")["Location"] == "/login?next=/swagger/"
    response = viewer.get("/swagger/", headers={"Accept": "text/html"})
    assert response.status_code == 200
    page = response.content.decode()
    assert '<html lang="en">' in page
    assert 'href="/replications"' in page, "the way back"
    assert "theme.js" in page, "the reference follows the theme of the page"
