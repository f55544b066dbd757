from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "srm_service.core"
    label = "core"

    def ready(self) -> None:
        from srm_service.core import checks  # noqa: F401 - registering is its purpose
