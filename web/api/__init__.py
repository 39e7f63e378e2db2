"""The REST API: its routes, the types of its requests and responses, and its OpenAPI document. No HTML."""
