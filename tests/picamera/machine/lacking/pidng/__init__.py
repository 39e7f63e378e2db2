"""In place of the package that writes raw pictures: picamera2 imports it, the product never writes one."""
