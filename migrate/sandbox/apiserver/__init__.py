"""
A small Kubernetes API server, to run in a process or over HTTP.

It behaves as a real one wherever a client could tell the difference, keeps its
objects in memory, and makes things go wrong on demand. The core never reads a
clock, a socket or the environment: ``ApiServer.handle`` turns a request into a
response, ``serve`` puts HTTP before it. Nothing here knows what the objects are for.
"""

from migrate.sandbox.apiserver.clock import Clock, SystemClock
from migrate.sandbox.apiserver.meddling.faults import Fault
from migrate.sandbox.apiserver.protocol.wire import EventStream, Request, Response
from migrate.sandbox.apiserver.seeding import UnknownKindError
from migrate.sandbox.apiserver.server import ApiServer
from migrate.sandbox.apiserver.transport.certificates import Certificates, make_certificates
from migrate.sandbox.apiserver.transport.serving import Running, serve

__all__ = [
    "ApiServer",
    "Certificates",
    "Clock",
    "EventStream",
    "Fault",
    "Request",
    "Response",
    "Running",
    "SystemClock",
    "UnknownKindError",
    "make_certificates",
    "serve",
]
