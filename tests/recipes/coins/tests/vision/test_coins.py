"""Coins are found where they were drawn, by the function and by the command."""

import json

import cv2
import numpy as np
from click.testing import CliRunner

from companion.__main__ import cli

TRUTH = ((80, 60), (200, 140))


def test_coins_are_read_where_they_lie(tmp_path):
    frame = np.full((240, 320, 3), 40, np.uint8)
    for place in TRUTH:
        cv2.circle(frame, place, 15, (230, 230, 230), -1)
    photo = tmp_path / "coins.png"
    cv2.imwrite(str(photo), frame)
    told = CliRunner().invoke(cli, ["read", "coins", str(photo), "--json", "--annotate", str(tmp_path / "drawn")])
    assert told.exit_code == 0, told.output
    coins = json.loads(told.stdout)[0]["coins"]
    assert sorted((round(coin["cx"]), round(coin["cy"])) for coin in coins) == sorted(TRUTH)
    assert (tmp_path / "drawn" / "coins.jpg").is_file()
