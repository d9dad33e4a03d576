import assert from "node:assert/strict";
import { test } from "node:test";

import { requestsOf, turnMessages } from "../src/messages.js";

test("texts of every form are taken, and what nobody said is passed by", () => {
  const messages = turnMessages([
    { role: "user", content: "plain", timestamp: 1_780_000_000_000 },
    { role: "assistant", content: [{ type: "thinking", thinking: "secretly" }, { type: "text", text: "a" }, { type: "text", text: "b" }] },
    { role: "toolResult", content: [{ type: "text", text: "found" }] },
    { role: "user", content: [{ type: "image", data: "AAAA" }] },
    { role: "compactionSummary", summary: "x" },
    { role: "user", content: { text: "no list" } },
    null,
    "rubbish",
  ]);
  assert.deepEqual(messages, [
    { role: "user", text: "plain", timestamp: "2026-05-28T20:26:40.000Z" },
    { role: "assistant", text: "a\nb" },
    { role: "tool", text: "found" },
  ]);
});

test("times are taken as numbers, digits and ISO, and a time that is none is left out", () => {
  const times = [1000, "1000", "1970-01-01T00:00:01Z", "yesterday", undefined, Number.NaN, 9e20];
  const told = turnMessages(times.map((timestamp) => ({ role: "user", content: "x", timestamp })));
  const second = "1970-01-01T00:00:01.000Z";
  assert.deepEqual(told.map(({ timestamp }) => timestamp), [second, second, second, ...Array(4).fill(undefined)]);
});

for (const rubbish of [undefined, null, {}, "text", 7]) {
  test(`messages that are ${JSON.stringify(rubbish)} are none`, () => assert.deepEqual(turnMessages(rubbish), []));
}

test("a long run goes in requests that the service takes, whole and in order", () => {
  const long = { role: "tool", text: "x".repeat(60_000) };
  const many = Array.from({ length: 1200 }, (_, place) => ({ role: "user", text: `said ${place}` }));
  const parts = requestsOf([...many, ...Array(20).fill(long)]);
  for (const part of parts) {
    assert.ok(part.length <= 1000);
    assert.ok(JSON.stringify(part).length < 1024 * 1024);
  }
  assert.deepEqual(parts.flat().slice(0, 1200), many);
  assert.equal(parts.flat().length, 1220);
  assert.equal(parts.flat().at(-1).text.length, 20_000);
});
