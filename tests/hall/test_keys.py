"""Signatures are Ed25519 as RFC 8032 says."""

import pytest

from companion.errors import NotAllowed
from companion.letters.keys import Key, check_signature

# RFC 8032, section 7.1, test 2: (secret key, public key, message, signature)
SECRET = bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
PUBLIC = bytes.fromhex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
MESSAGE = bytes.fromhex("72")
SIGNATURE = bytes.fromhex(
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
    "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
)


def test_a_key_signs_as_the_standard_says():
    key = Key(SECRET)
    assert (key.public, key.sign(MESSAGE)) == (PUBLIC, SIGNATURE)


def test_the_standards_signature_holds():
    check_signature(PUBLIC, SIGNATURE, MESSAGE)


@pytest.mark.parametrize(
    ("public", "signature", "message"),
    [
        (PUBLIC, SIGNATURE, b"s"),
        (PUBLIC, SIGNATURE[:-1] + b"\1", MESSAGE),
        (PUBLIC, b"", MESSAGE),
        (Key(bytes(32)).public, SIGNATURE, MESSAGE),
        (PUBLIC[:-1], SIGNATURE, MESSAGE),
    ],
)
def test_anything_else_is_refused(public, signature, message):
    with pytest.raises(NotAllowed, match="signature"):
        check_signature(public, signature, message)
