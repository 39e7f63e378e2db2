"""The commands, one file each. They may import every other package; none but `companion.__main__` imports them."""
