"""Templates are compiled once for all applications that a process of tests makes, from the import of this on."""

from types import CodeType

from flask import Flask
from jinja2.bccache import Bucket, BytecodeCache


class CompiledTemplates(BytecodeCache):
    """Templates by their names and contents: a changed one is another."""

    def __init__(self) -> None:
        self._code: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._code.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        assert bucket.code
        self._code[bucket.key, bucket.checksum] = bucket.code


Flask.jinja_options = {"bytecode_cache": CompiledTemplates()}
