"""What makes the pages installable: icons that are ours, a worker that belongs to the files it keeps."""

import pytest

from web.render.icons import FOLDER, SIZES, png


@pytest.mark.parametrize(("name", "pixels", "shape"), [each for each in SIZES if each[1] < 200])
def test_the_icons_are_drawn_by_us(name, pixels, shape):
    assert (FOLDER / name).read_bytes() == png(pixels, shape)


def test_the_worker_knows_the_version_of_the_files(client):
    worker = client.get("/worker.js")
    assert worker.mimetype == "text/javascript"
    version = client.get("/").text.split("/static/")[1].split("/")[0]
    assert f'const VERSION = "{version}"' in worker.text
    assert worker.headers["Cache-Control"] == "no-store"  # a browser that kept it would keep an old program


def test_the_manifest_bears_the_tables_name(client, host):
    assert client.get("/app.webmanifest").json["name"] == "Table companion"
    host.journal.set_setting("table_name", "Kitchen")
    assert client.get("/app.webmanifest").json["name"] == "Kitchen"
