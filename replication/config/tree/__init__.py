"""The property tree: every property with its level and prefix, as files and people wrote it, before it is resolved.

The folder decides how files become properties and properties files, and which value is in force, with all that lost.
"""

from replication.config.tree.chains.effective import effective_values
from replication.config.tree.chains.values import ChainLink, EffectiveValue
from replication.config.tree.files import TREE_FORMATS, TreeFile, TreeFormat, WrittenTree
from replication.config.tree.key_table import KeyRow, key_table
from replication.config.tree.placing import place_of
from replication.config.tree.properties import PropertyPlace, PropertyTree, TreeProperty
from replication.config.tree.reading import read_tree
from replication.config.tree.resolution import aliases_of, check_tree, resolve_tree
from replication.config.tree.writing import write_tree

__all__ = [
    "TREE_FORMATS",
    "ChainLink",
    "EffectiveValue",
    "KeyRow",
    "PropertyPlace",
    "PropertyTree",
    "TreeFile",
    "TreeFormat",
    "TreeProperty",
    "WrittenTree",
    "aliases_of",
    "check_tree",
    "effective_values",
    "key_table",
    "place_of",
    "read_tree",
    "resolve_tree",
    "write_tree",
]
