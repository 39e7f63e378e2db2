"""Where pictures come from: a Pi camera, a webcam, files; and whether they are pictures of the table."""
