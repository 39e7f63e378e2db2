"""Sources of pictures: a Pi camera, a webcam, files; and checks whether they show the table.

Nothing here reads what lies on the table.
"""
