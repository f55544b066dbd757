"""The maintenance worker: publishes desired state, follows lists, ends pauses and holds, prunes sessions and trail.

It also notes the statuses of flows and looks for flows that are not registered. It never copies a record.

Start: `celery --app srm_service.celery worker --beat --pool threads --concurrency 2 --queues srm.maintenance`.
"""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "srm_service.settings.local")

from django.conf import settings

from replication.config.redis_access import broker_settings

MAINTENANCE_QUEUE = "srm.maintenance"

app = Celery("srm_service")
_broker = broker_settings(settings.SRM_REDIS_URL or "redis://127.0.0.1:6379/0")
app.conf.update(_broker)
app.conf.update(
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={
        "visibility_timeout": 3600,
        "unacked_restore_interval": 10,
        "unacked_restore_throttle": 1,
        "socket_timeout": 30,
        "socket_connect_timeout": 5,
        "socket_keepalive": True,
        "health_check_interval": 10,
        "global_keyprefix": "srm:celery:",
        **_broker["broker_transport_options"],
    },
    task_ignore_result=True,
    result_backend=None,
    task_default_queue=MAINTENANCE_QUEUE,
    task_acks_late=True,
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
    task_serializer="json",
    accept_content=["json"],
    beat_schedule={
        "publish desired state": {"task": "srm.flows.publish_desired", "schedule": 10.0, "options": {"expires": 10}},
        "publish driver orders": {
            "task": "srm.drivers.publish_orders",
            "schedule": 10.0,
            "options": {"expires": 10},
        },
        "note driver processes": {
            "task": "srm.drivers.note_processes",
            "schedule": 10.0,
            "options": {"expires": 10},
        },
        "look up references": {
            "task": "srm.configuration.derive_again",
            "schedule": 10.0,
            "options": {"expires": 10},
        },
        "follow lists": {"task": "srm.lists.follow", "schedule": 2.0, "options": {"expires": 2}},
        "advertise": {"task": "srm.remote.advertise", "schedule": 2.0, "options": {"expires": 2}},
        "probe services": {"task": "srm.remote.probe", "schedule": 5.0, "options": {"expires": 5}},
        "note orders": {"task": "srm.flows.note_orders", "schedule": 5.0, "options": {"expires": 5}},
        "note statuses": {"task": "srm.live.note_statuses", "schedule": 5.0, "options": {"expires": 5}},
        "schedule audits": {
            "task": "srm.audits.schedule_audits",
            "schedule": 60.0,
            "options": {"expires": 50},
        },
        "discover pairs": {"task": "srm.clusters.discover_pairs", "schedule": 60.0, "options": {"expires": 50}},
        "prune sessions": {"task": "srm.core.prune_sessions", "schedule": 3600.0},
        "prune attempts": {"task": "srm.people.prune_attempts", "schedule": 3600.0},
        "prune trail": {"task": "srm.trail.prune_trail", "schedule": 3600.0},
    },
)
app.autodiscover_tasks(related_name="jobs")
