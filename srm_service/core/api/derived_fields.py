"""Serializer fields from type hints, so that the shape of an answer is declared once: by the dataclass it is made from.

`Annotated[int | None, "text"]` gives a field its help text.
"""

import types
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

from rest_framework import serializers

from srm_service.core.choices import choices_of

AnyField = serializers.Field[Any, Any, Any, Any]

_PLAIN: dict[Any, type[AnyField]] = {
    str: serializers.CharField,
    int: serializers.IntegerField,
    float: serializers.FloatField,
    bool: serializers.BooleanField,
    Any: serializers.JSONField,  # which includes null
}


def fields_of(shape: type, nested: Mapping[Any, type[AnyField]] | None = None) -> dict[str, AnyField]:
    """Return one field per field of a dataclass, in its order; `nested` are the serializers of dataclasses in it."""
    hints = get_type_hints(shape, include_extras=True)
    return {name: field_of(hint, nested) for name, hint in hints.items()}


def field_of(hint: Any, nested: Mapping[Any, type[AnyField]] | None = None) -> AnyField:
    """Return the field of a type hint. TypeError for a hint that JSON answers do not have."""
    options: dict[str, Any] = {}
    if get_origin(hint) is Annotated:
        hint, options["help_text"] = get_args(hint)
    if get_origin(hint) in (Union, types.UnionType):
        (hint,) = (each for each in get_args(hint) if each is not types.NoneType)
        options["allow_null"] = True
    if hint in _PLAIN:
        return _PLAIN[hint](**options)
    if get_origin(hint) is Literal:
        return serializers.ChoiceField(choices=choices_of(hint), **options)
    if get_origin(hint) is tuple:
        return serializers.ListField(child=field_of(get_args(hint)[0], nested), **options)
    if get_origin(hint) in (dict, Mapping):
        return serializers.DictField(child=field_of(get_args(hint)[1], nested), **options)
    if nested is not None and is_dataclass(hint) and hint in nested:
        return nested[hint](**options)
    raise TypeError(f"no serializer field for {hint!r}")


class DataclassSerializer(serializers.Serializer[Any]):
    """The fields of a dataclass, then those that the class declares itself; `known` serializes dataclasses in it."""

    shape: ClassVar[type]
    known: ClassVar[Mapping[Any, type[AnyField]]] = {}

    def get_fields(self) -> dict[str, AnyField]:
        return {**fields_of(self.shape, self.known), **super().get_fields()}


class ShapeSerializers:
    """Makes the serializers of dataclasses, inner ones before those that hold them."""

    def __init__(self, module: str, *shapes: type) -> None:
        self._module = module
        self._known: dict[Any, type[DataclassSerializer]] = {}
        for shape in shapes:
            self.of(shape)

    def reuse(self, shape: type, serializer: type[DataclassSerializer]) -> None:
        """Use the serializer that a dataclass has already; each has one name in the OpenAPI document."""
        self._known[shape] = serializer

    def known(self, shape: type) -> type[DataclassSerializer]:
        """Return a serializer that was made before."""
        return self._known[shape]

    def of(self, shape: type) -> type[DataclassSerializer]:
        """Return the serializer of a dataclass whose inner dataclasses have theirs already."""
        members = {"shape": shape, "known": self._known, "__doc__": shape.__doc__, "__module__": self._module}
        made = type(f"{shape.__name__}Serializer", (DataclassSerializer,), members)
        self._known[shape] = made
        return made
