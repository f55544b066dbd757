from django.apps import AppConfig


class PlanningConfig(AppConfig):
    name = "srm_service.planning"
