from django.apps import AppConfig


class DriversConfig(AppConfig):
    name = "srm_service.drivers"
    label = "drivers"
