"""The OpenAPI document and the service keep each other's word: requests made from it are answered as it says."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

EXAMPLES = 6
OF_WHAT_IS_STORED = {
    "addMemory",
    "updateMemory",
    "forgetMemories",
    "readFile",
    "replaceNote",
    "newNote",
    "appendToNote",
}
"""Here a request of the right form may still ask for what is not there, which is 400."""

_words = st.text(st.characters(codec="utf-8", categories=("L", "N")), min_size=1, max_size=40)
schemathesis.openapi.format("words", _words)
schemathesis.openapi.format("session-key", st.from_regex(r"(telegram|discord):[a-z0-9]{1,12}", fullmatch=True))


@pytest.mark.parametrize("mode", list(GenerationMode))
def test_requests_made_from_the_document_are_answered_as_it_says(service, mode):
    answer = service.get("/openapi.json", headers={"Authorization": ""})
    document = answer.json()
    # Which constants there are, and their ranges, depends on the preset: no schema can say it.
    del document["components"]["schemas"]["Searching"]["properties"]["weights"]
    schema = schemathesis.openapi.from_dict(document)
    headers = {"Authorization": f"Bearer {service.token}"}
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) >= 15
    if mode is GenerationMode.NEGATIVE:  # what takes nothing can be given nothing wrong
        operations = [each for each in operations if each.body or each.query or each.path_parameters]
    for operation in operations:

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(mode))
        def holds(case):
            depends = case.operation.definition.raw["operationId"] in OF_WHAT_IS_STORED
            excluded = [positive_data_acceptance] if depends else []
            case.call_and_validate(base_url=service.url, headers=headers, excluded_checks=excluded)

        holds()
