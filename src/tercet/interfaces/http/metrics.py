"""What the service counts, for Prometheus: never whose memory it was, nor a word of it."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from tercet._version import __version__

BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """Counters of one service."""

    def __init__(self) -> None:
        """Begin with nothing counted, in a registry of its own."""
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "tercet_requests", "Requests answered.", ["route", "method", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "tercet_request_seconds", "Time to the answer.", ["route"], buckets=BUCKETS_S, registry=self._registry
        )
        self.under_way = Gauge("tercet_requests_under_way", "Requests being answered.", registry=self._registry)
        self._recalls = Counter(
            "tercet_recalls", "Recalls: given, or why they were empty.", ["outcome"], registry=self._registry
        )
        self._degraded = Counter("tercet_degraded_answers", "Answers with a part down.", registry=self._registry)
        self._turns = Counter("tercet_turns_accepted", "Turns made durable.", registry=self._registry)
        info = Gauge("tercet_info", "The version that runs.", ["version"], registry=self._registry)
        info.labels(__version__).set(1)

    def answered(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count one request by the pattern of its route."""
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def recalled(self, skipped_reason: str | None) -> None:
        """Count one recall."""
        self._recalls.labels(skipped_reason or "given").inc()

    def degraded(self, reason: str | None) -> None:
        """Count an answer that had to say what was down."""
        if reason:
            self._degraded.inc()

    def accepted(self) -> None:
        """Count one turn."""
        self._turns.inc()

    def text(self) -> bytes:
        """Return everything in the text format of Prometheus."""
        return generate_latest(self._registry)
