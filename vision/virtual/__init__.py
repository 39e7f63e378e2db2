"""Pictures of the demo's table, drawn for the real readers. Knows the table's values, and no reader."""
