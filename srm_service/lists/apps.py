from django.apps import AppConfig


class ListsConfig(AppConfig):
    name = "srm_service.lists"
    label = "lists"
