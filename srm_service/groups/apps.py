from django.apps import AppConfig


class GroupsConfig(AppConfig):
    name = "srm_service.groups"
