"""The networks' weights, and what runs them. README.md is their model card.

No training: that is `vision.training`.
"""
