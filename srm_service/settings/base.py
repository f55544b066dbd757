"""Settings that hold everywhere; `local`, `test` and `production` add what differs."""

import warnings
from pathlib import Path
from typing import Any

from csp.constants import NONCE, NONE, SELF

from srm_service.settings import env
from srm_service.settings.databases import databases
from srm_service.settings.logs import logging_config
from srm_service.settings.oidc import BACKEND as OIDC_BACKEND
from srm_service.settings.oidc import provider_settings
from srm_service.settings.remote import remote_settings

BASE_DIR = Path(__file__).resolve().parent.parent.parent
SRM_HOME = env.state_folder()
FRONTEND_DIST = BASE_DIR / "frontend" / "dist"

SECRET_KEY = env.text("SRM_DJANGO_SECRET_KEY")
SRM_REDIS_URL = env.text("SRM_REDIS_URL")
SRM_SECRET_KEYS = env.secret_list("SRM_SECRET_KEYS")
SRM_TRANSPORT_KEYS = env.secret_list("SRM_TRANSPORT_KEYS")
SRM_SHOW_RECORD_VALUES = env.switch("SRM_SHOW_RECORD_VALUES")
SRM_ANSWERS_AHEAD = True  # a thread makes the next answer that many readers get
SRM_METRICS_RETENTION = env.retention("SRM_METRICS_RETENTION")
SRM_TRAIL_RETENTION_DAYS = env.days("SRM_TRAIL_RETENTION_DAYS", least=30)
DEBUG = False
ALLOWED_HOSTS = env.names("SRM_ALLOWED_HOSTS", ("localhost", "127.0.0.1", "[::1]", env.text("SRM_HOST", "127.0.0.1")))
SRM_OIDC = provider_settings()
SRM_REMOTE = remote_settings(default_address="")  # behind a proxy only the operator knows the own address
SRM_TRUSTED_PROXIES = env.names("SRM_TRUSTED_PROXIES", ())

INSTALLED_APPS = [
    "srm_service.people.admin_app.ServiceAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "csp",
    "channels",
    "srm_service.core",
    "srm_service.trail",
    "srm_service.people",
    "srm_service.clusters",
    "srm_service.flows",
    "srm_service.configuration",
    "srm_service.lists",
    "srm_service.monitoring",
    "srm_service.drivers",
    "srm_service.audits",
    "srm_service.planning",
    "srm_service.groups",
    "srm_service.remote",
    "srm_service.live",
]

MIDDLEWARE = [
    "srm_service.core.web.request_id.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "srm_service.core.web.ui_files.UiFilesMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "srm_service.core.web.path_check.PathCheckMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
]

ROOT_URLCONF = "srm_service.urls"
ASGI_APPLICATION = "srm_service.asgi.application"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "srm_service" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

DATABASES = databases(SRM_HOME)
DATABASE_ROUTERS = ["srm_service.monitoring.router.MetricsRouter"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "en-us"
USE_I18N = False
TIME_ZONE = "UTC"
USE_TZ = True

LOGIN_URL = "/login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/login"
SESSION_ENGINE = "srm_service.people.auth.session_store"
SESSION_COOKIE_AGE = 12 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_TRUSTED_ORIGINS = env.names("SRM_TRUSTED_ORIGINS", ())
AUTHENTICATION_BACKENDS = ["srm_service.people.auth.password_backend.LimitedPasswordBackend"]
if SRM_OIDC.issuer:
    AUTHENTICATION_BACKENDS.append(OIDC_BACKEND)
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "srm_service" / "static"]
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
WHITENOISE_IMMUTABLE_FILE_TEST = r"^/assets/.+-[A-Za-z0-9_-]{8,}\.[a-z0-9]+$"
# WhiteNoise answers with files that are read synchronously; under ASGI Django reads them whole, which suits their size.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "object-src": [NONE],
        "base-uri": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "srm_service.people.auth.basic_auth.CachedBasicAuthentication",
        "srm_service.people.auth.token_auth.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["srm_service.core.auth.permissions.RolePermission"],
    "DEFAULT_RENDERER_CLASSES": ["srm_service.core.api.renderer.FastJsonRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "srm_service.core.api.negotiation.ListNegotiation",
    "DEFAULT_PARSER_CLASSES": ["srm_service.core.api.json_parser.StrictJsonParser"],
    "DEFAULT_SCHEMA_CLASS": "srm_service.core.api.openapi.operation_schema.OperationSchema",
    "EXCEPTION_HANDLER": "srm_service.core.api.problem.exception_handler",
    "URL_FORMAT_OVERRIDE": None,  # `format` is a parameter of lists and exports
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}

SPECTACULAR_SETTINGS = {
    "TITLE": "Streams Replication Manager",
    "DESCRIPTION": "Watch and control the replication of topics between Apache Kafka clusters.",
    "VERSION": "2.0.0",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["srm_service.core.auth.permissions.RolePermission"],
    "SCHEMA_PATH_PREFIX": r"/api/v2",
    "COMPONENT_SPLIT_REQUEST": True,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SWAGGER_UI_SETTINGS": {"deepLinking": True, "persistAuthorization": False},
    "ENUM_NAME_OVERRIDES": {
        "ActionState": "srm_service.flows.api.action_progress.ACTION_STATE_CHOICES",
        "AuditMode": "srm_service.audits.api.serializers.AUDIT_MODE_CHOICES",
        "AuditState": "srm_service.audits.api.serializers.AUDIT_STATE_CHOICES",
        "AuditVerdict": "srm_service.audits.api.serializers.AUDIT_VERDICT_CHOICES",
        "BulkAction": "srm_service.flows.api.bulk_actions.ACTION_CHOICES",
        "ClusterLocation": "srm_service.clusters.api.serializers.LOCATION_CHOICES",
        "ConnectionStep": "srm_service.clusters.api.connection_serializers.STEP_CHOICES",
        "Criticality": "srm_service.core.api.description_fields.CRITICALITY_CHOICES",
        "EventScope": "srm_service.monitoring.api.events.EVENT_SCOPE_CHOICES",
        "EventState": "srm_service.monitoring.api.events.EVENT_STATE_CHOICES",
        "RoleEnum": "srm_service.people.api.serializers.USER_ROLE_CHOICES",
        "DriverRole": "srm_service.monitoring.api.choices.DRIVER_ROLE_CHOICES",
        "MoveReason": "srm_service.monitoring.api.choices.MOVE_REASON_CHOICES",
        "TaskKind": "srm_service.monitoring.api.choices.TASK_KIND_CHOICES",
        "TaskState": "srm_service.monitoring.api.choices.TASK_STATE_CHOICES",
        "Delivery": "srm_service.flows.api.change_serializers.DELIVERY_CHOICES",
        "PropertyLevel": "srm_service.configuration.api.serializers.LEVEL_CHOICES",
        "ChainLevel": "srm_service.configuration.api.serializers.CHAIN_LEVEL_CHOICES",
        "TreeFormat": "srm_service.configuration.api.serializers.FORMAT_CHOICES",
        "FindingSeverity": "srm_service.configuration.api.serializers.SEVERITY_CHOICES",
        "FindingKind": "srm_service.audits.api.serializers.FINDING_KIND_CHOICES",
        "FlowStatusWord": "srm_service.monitoring.api.choices.FLOW_STATUS_CHOICES",
        "GapCause": "srm_service.fleet.api.gaps.GAP_CAUSE_CHOICES",
        "RecordedPolicy": "srm_service.fleet.api.gaps.RECORDED_POLICY_CHOICES",
        "HitKind": "srm_service.fleet.api.search.HIT_KIND_CHOICES",
        "GapPolicy": "srm_service.flows.api.change_serializers.GAP_POLICY_CHOICES",
        "GroupReadiness": "srm_service.groups.api.choices.READINESS_CHOICES",
        "GroupState": "srm_service.groups.api.choices.GROUP_STATE_CHOICES",
        "GroupType": "srm_service.groups.api.choices.GROUP_TYPE_CHOICES",
        "MetricName": "srm_service.monitoring.api.choices.METRIC_CHOICES",
        "MissKind": "srm_service.planning.api.serializers.MISS_KIND_CHOICES",
        "OrderOutcome": "srm_service.flows.api.verbs.serializers.OUTCOME_CHOICES",
        "OrderVerb": "srm_service.flows.api.verbs.serializers.VERB_CHOICES",
        "PartitionState": "srm_service.monitoring.api.choices.PARTITION_STATE_CHOICES",
        "PolicyKind": "srm_service.flows.api.change_serializers.POLICY_KIND_CHOICES",
        "SideEnum": "srm_service.clusters.api.connection_serializers.USE_CHOICES",
        "TokenState": "srm_service.people.api.serializers.TOKEN_STATE_CHOICES",
        "SmmStatus": "srm_service.vendor_api.smm.serializers.SMM_STATUS_CHOICES",
        "SyncedWord": "srm_service.groups.api.choices.SYNCED_CHOICES",
        "ReceiptState": "srm_service.groups.api.choices.RECEIPT_STATE_CHOICES",
        "TranslationDirection": "srm_service.groups.api.choices.DIRECTION_CHOICES",
        "TranslationKind": "srm_service.groups.api.choices.TRANSLATION_KIND_CHOICES",
        "TranslationReason": "srm_service.groups.api.choices.TRANSLATION_REASON_CHOICES",
        "TrailOutcome": "srm_service.trail.api.serializers.TRAIL_OUTCOME_CHOICES",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "srm_service.live.schema.add_live_messages",
        "srm_service.monitoring.api.metric_schema.add_metric_units",
        "srm_service.core.api.openapi.operation_schema.add_problems",
        "srm_service.core.api.openapi.tags.add_tags",
    ],
}

LOGGING = logging_config(env.text("SRM_LOG_LEVEL", "INFO"))
