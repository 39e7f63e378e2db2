"""The button box: buttons, lights and buzzer of the table, real or simulated."""
