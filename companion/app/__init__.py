"""The roof: the program itself, which alone knows pages, cameras and the button box.

`cli` has the commands, `service` the parts of a running table, `bench` what measures it on this machine. Nothing below
imports them.
"""
