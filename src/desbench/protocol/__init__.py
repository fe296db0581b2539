"""Who is asked what: authority, activations, parking, payloads and the steps of the protocols.

The rules stand in `docs/protocols.md`, the fields of a view in `docs/payload.md`.
"""
