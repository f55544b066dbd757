from django.apps import AppConfig


class TrailConfig(AppConfig):
    name = "srm_service.trail"
    label = "trail"
