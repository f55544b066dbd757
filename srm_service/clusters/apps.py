from django.apps import AppConfig


class ClustersConfig(AppConfig):
    name = "srm_service.clusters"
    label = "clusters"
