"""What several tests of bundles need."""

import pytest

from hardware.tools import bundle
from tests.hardware_docs.small_bundles import make_bundle, make_key


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Two versions of a bundle by one maker: their files, the newer one unpacked, and the maker's public key."""
    folder = tmp_path_factory.mktemp("made")
    key = make_key(folder, "maker")
    for version in ("1.0", "2.0"):
        bundle.pack(make_bundle(folder, key, version), folder / f"table-companion-{version}.tar", 0)
    return folder
