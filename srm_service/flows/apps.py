from django.apps import AppConfig


class FlowsConfig(AppConfig):
    name = "srm_service.flows"
    label = "flows"
