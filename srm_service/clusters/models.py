"""The database model of Kafka clusters."""

from django.core.validators import RegexValidator
from django.db import models

from srm_service.core.jsonfields import validate_text_list, validate_text_map

ALIAS_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$"


class Cluster(models.Model):
    """A cluster under its alias, as it follows from the property tree.

    `secrets` is a token of `secret_box` and never leaves the service unencrypted. `client` and `secrets` keep
    references such as `${file:...}`; `problem` says why the cluster cannot be used.
    """

    alias = models.CharField(max_length=100, unique=True, validators=[RegexValidator(ALIAS_PATTERN)])
    bootstrap = models.JSONField(validators=[validate_text_list])
    client = models.JSONField(default=dict, blank=True, validators=[validate_text_map])
    secrets = models.TextField(default="", blank=True)
    problem = models.TextField(default="", blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["alias"]
        constraints = [
            models.CheckConstraint(condition=~models.Q(alias=""), name="cluster_alias_not_empty"),
        ]

    def __str__(self) -> str:
        return self.alias
