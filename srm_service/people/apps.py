from django.apps import AppConfig


class PeopleConfig(AppConfig):
    name = "srm_service.people"
    label = "people"

    def ready(self) -> None:
        from srm_service.people.auth import session_origin  # noqa: F401 - connecting its signal is its purpose
