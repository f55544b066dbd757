from django.apps import AppConfig


class RemoteConfig(AppConfig):
    name = "srm_service.remote"
    label = "remote"
