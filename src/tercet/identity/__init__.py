"""Whose memory it is: agent ids, session keys, links between platforms, and what a query may see."""

from tercet.identity.agents import checked_agent, owner_reach
from tercet.identity.keys import SessionKey, SessionKind, parse_session_key
from tercet.identity.links import checked_links, encode_scope, reach_for

__all__ = [
    "SessionKey",
    "SessionKind",
    "checked_agent",
    "checked_links",
    "encode_scope",
    "owner_reach",
    "parse_session_key",
    "reach_for",
]
