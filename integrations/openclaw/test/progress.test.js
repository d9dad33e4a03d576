import assert from "node:assert/strict";
import { test } from "node:test";

import { Progress } from "../src/progress.js";

const at = (second) => new Date(1_780_000_000_000 + second * 1000).toISOString();
const said = (role, second, text = `${role} ${second}`) => ({ role, text, timestamp: at(second) });
const SESSION = "agent:main:main";

test("the first run tells its own turn, the next what is new", () => {
  const progress = new Progress();
  const first = [said("user", 0), said("assistant", 1), said("user", 60), said("assistant", 61)];
  assert.deepEqual(progress.since(SESSION, first), first.slice(2));
  progress.done(SESSION, first);
  const second = [...first, said("user", 70), said("user", 71), said("assistant", 72)];
  assert.deepEqual(progress.since(SESSION, second), second.slice(4));
  assert.deepEqual(progress.since("agent:main:telegram:7", second), second.slice(5));
});

test("what was said while an answer was being written is not lost", () => {
  const progress = new Progress();
  const first = [said("user", 0), said("assistant", 10)];
  progress.done(SESSION, first);
  const second = [...first, said("user", 5, "and one more thing"), said("assistant", 12)];
  assert.deepEqual(progress.since(SESSION, second), second.slice(2));
});

test("two messages of one millisecond are two", () => {
  const progress = new Progress();
  progress.done(SESSION, [said("user", 0), said("assistant", 0)]);
  const second = [said("user", 0), said("assistant", 0), said("user", 0, "again"), said("assistant", 0, "yes")];
  assert.deepEqual(progress.since(SESSION, second), second.slice(2));
});

test("everything said during the first run is its own", () => {
  const run = [said("user", 0), said("assistant", 1), said("user", 600), said("assistant", 603), said("user", 610)];
  assert.deepEqual(new Progress().since(SESSION, run, Date.parse(at(601))), run.slice(2));
  assert.deepEqual(new Progress().since(SESSION, run, Date.parse(at(9000))), run.slice(4));
});

test("a run that failed is told with the next one", () => {
  const progress = new Progress();
  const first = [said("user", 0), said("assistant", 1)];
  progress.done(SESSION, first);
  const later = [...first, said("user", 2, "it failed"), said("user", 3), said("assistant", 4)];
  assert.deepEqual(progress.since(SESSION, later), later.slice(2));
});

test("without times and ids the same answer again hides nothing", () => {
  const progress = new Progress();
  const plain = (role, text) => ({ role, text });
  progress.done(SESSION, [plain("user", "one"), plain("assistant", "Done.")]);
  const second = [plain("user", "one"), plain("assistant", "Done."), plain("user", "two"), plain("assistant", "Done.")];
  assert.deepEqual(progress.since(SESSION, second), second.slice(2));
});

test("a transcript begun anew is told from its last question", () => {
  const progress = new Progress();
  progress.done(SESSION, [said("user", 0), said("assistant", 1)]);
  const anew = [said("assistant", 50, "a summary"), said("user", 51), said("assistant", 52)];
  assert.deepEqual(progress.since(SESSION, anew), anew.slice(1));
  assert.deepEqual(progress.since(SESSION, []), []);
});
