"""What cameras bring to a running game: proposals, questions, remarks; setting a camera up; what a table learns.

No OpenCV and no process: pictures are read in `vision`. No page.
"""
