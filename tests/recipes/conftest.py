"""The toys' own tests run in the copy of the project to which a toy was added."""

collect_ignore_glob = ["*/tests/*"]
