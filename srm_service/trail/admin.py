from django.contrib import admin

from srm_service.core.web.admin_models import ReadOnlyModelAdmin
from srm_service.trail.models import TrailEntry


@admin.register(TrailEntry)
class TrailEntryAdmin(ReadOnlyModelAdmin):
    """The audit trail, read-only."""

    list_display = ("at", "actor", "action", "subject_kind", "subject", "address", "outcome")
    list_filter = ("outcome", "actor_kind", "subject_kind", "at")
    search_fields = ("=actor", "action__startswith", "=subject", "=request_id", "=address")
    date_hierarchy = "at"
    show_full_result_count = False
