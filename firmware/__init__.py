"""The button box: buttons, lights and buzzer of the table, real or simulated.

It says what was pressed and when. No game, no page, no camera.
"""
