from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "srm_service.operations"
    label = "operations"
