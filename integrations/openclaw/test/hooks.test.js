import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { registerHooks } from "../src/hooks.js";
import { Service } from "../src/service.js";
import { readSettings } from "../src/settings.js";
import { Spool } from "../src/spool.js";
import { withService } from "./stand_in.js";

const CONTEXT = { agentId: "main", sessionKey: "agent:main:main" };
const TURN = {
  success: true,
  messages: [
    { role: "user", content: "Lotte moved to Ghent.", timestamp: 1_780_000_000_000 },
    { role: "assistant", content: [{ type: "text", text: "Noted." }], timestamp: 1_780_000_001_000 },
  ],
};

function plugIn(home, given = {}) {
  const settings = readSettings({ home, captureTimeoutMs: 300, recallTimeoutMs: 300, ...given });
  const hooks = {};
  const warnings = [];
  const api = { on: (name, hook) => (hooks[name] = hook), logger: { warn: (text) => warnings.push(text) } };
  registerHooks(api, { service: new Service(settings), settings, spool: new Spool(home) });
  return { ...hooks, warnings };
}

async function spooled(home) {
  const folder = join(home, "spool", "main");
  const names = await readdir(folder).catch(() => []);
  return Promise.all(names.map(async (name) => JSON.parse(await readFile(join(folder, name), "utf8"))));
}

const captured = (asked) => asked.filter(({ path }) => path === "/v1/capture").map(({ body }) => body);

test("a turn is handed over once, under its agent and session", () =>
  withService(() => ({ status: 202 }), async ({ home, asked }) => {
    const { agent_end } = plugIn(home);
    await agent_end(TURN, CONTEXT);
    await agent_end(TURN, CONTEXT);
    const [turn, ...others] = captured(asked);
    assert.deepEqual(others, []);
    assert.deepEqual([turn.agent, turn.sessionKey, turn.messages.length], ["main", "agent:main:main", 2]);
    assert.deepEqual(await spooled(home), []);
  }));

for (const [what, answer] of [
  ["hangs", () => null],
  ["has a fault", () => ({ status: 503 })],
  ["does not know the token", () => ({ status: 401 })],
  ["refuses the agent", () => ({ status: 403 })],
]) {
  test(`a turn waits in a file while the service ${what}, once`, () =>
    withService(answer, async ({ home }) => {
      const { agent_end, warnings } = plugIn(home);
      await agent_end(TURN, CONTEXT);
      await agent_end(TURN, CONTEXT);
      const turns = await spooled(home);
      assert.deepEqual(turns.map(({ messages }) => messages.map(({ text }) => text)), [["Lotte moved to Ghent."]]);
      assert.equal(warnings.length, 1);
    }));
}

test("what the service refuses for good is said and does not wait for ever", () =>
  withService(() => ({ status: 400, value: { error: { message: "messages: too many" } } }), async ({ home }) => {
    const { agent_end, warnings } = plugIn(home);
    await agent_end(TURN, CONTEXT);
    assert.deepEqual(await spooled(home), []);
    assert.match(warnings[0], /too many/);
  }));

for (const [what, event, context] of [
  ["failed", { ...TURN, success: false }, CONTEXT],
  ["is a timer's", TURN, { ...CONTEXT, trigger: "cron" }],
  ["is a heartbeat", TURN, { ...CONTEXT, trigger: "heartbeat" }],
  ["has no session", TURN, { agentId: "main" }],
  ["has no agent", TURN, { sessionKey: "agent:main:main" }],
  ["is empty", {}, CONTEXT],
  ["is nothing", undefined, undefined],
]) {
  test(`a run that ${what} is not captured`, () =>
    withService(() => ({ status: 202 }), async ({ home, asked }) => {
      await plugIn(home).agent_end(event, context);
      assert.deepEqual(captured(asked), []);
      assert.deepEqual(await spooled(home), []);
    }));
}

test("what is recalled goes where the settings say", () =>
  withService(() => ({ value: { text: "<known>", placement: "context" } }), async ({ home }) => {
    const event = { currentUserMessage: "Where does Lotte live?", prompt: "[envelope] Where does Lotte live?" };
    assert.deepEqual(await plugIn(home).before_prompt_build(event, CONTEXT), { prependContext: "<known>" });
    assert.deepEqual(await plugIn(home, { placement: "system" }).before_prompt_build(event, CONTEXT), {
      appendSystemContext: "<known>",
    });
    assert.equal(await plugIn(home).before_prompt_build({ prompt: "  " }, CONTEXT), undefined);
  }));

test("an agent goes on without memory while the service hangs", () =>
  withService(() => null, async ({ home }) => {
    const { before_prompt_build, warnings } = plugIn(home);
    assert.equal(await before_prompt_build({ prompt: "x" }, CONTEXT), undefined);
    assert.equal(warnings.length, 1);
  }));
