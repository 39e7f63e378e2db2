"""Alembic runs this for each command: the migrations go into the transaction that `upgrade` was given."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
