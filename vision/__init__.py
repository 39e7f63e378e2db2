"""Eyes of the table: cameras, settling, and the readers.

It knows no rule, no page and no journal: what it finds goes to the service as a reading.
"""

import os

MOST_PIXELS = 50_000_000  # a 48-megapixel phone passes; with its decoded frame this program stays below 500 MB

# OpenCV asks for it once, when it is loaded, and then refuses larger pictures whatever their format
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MOST_PIXELS))
