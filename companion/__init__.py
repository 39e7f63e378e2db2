"""The table companion: the core under every sensor, device and page.

It imports no package beside it; only `service.server`, `service.assembly` and `cli` bring in `vision`, `firmware` and
`web`.
"""
