"""Closed lists of consumer groups as DRF and the OpenAPI document want them."""

from replication.domain.groups.consumer_group import GroupState, GroupType
from replication.domain.groups.group_summary import Readiness, SyncedWord
from replication.domain.groups.translation import TranslationKind, TranslationReason
from replication.domain.questions.groups import Direction, ReceiptState
from srm_service.core.choices import choices_of

READINESS_CHOICES = choices_of(Readiness)
GROUP_STATE_CHOICES = choices_of(GroupState)
GROUP_TYPE_CHOICES = choices_of(GroupType)
DIRECTION_CHOICES = choices_of(Direction)
SYNCED_CHOICES = choices_of(SyncedWord)
RECEIPT_STATE_CHOICES = choices_of(ReceiptState)
TRANSLATION_KIND_CHOICES = choices_of(TranslationKind)
TRANSLATION_REASON_CHOICES = choices_of(TranslationReason)
