import assert from "node:assert/strict";
import { test } from "node:test";

import { Service } from "../src/service.js";
import { memoryTools } from "../src/memory_tools.js";
import { TOKEN, withService } from "./stand_in.js";

const LIMITS = { timeoutMs: 2000 };
const yes = () => ({ value: { results: [], degraded: null } });
const tokens = (asked) => asked.map(({ token }) => token).filter(Boolean);

test("the service of the home is asked with the home's token", () =>
  withService(yes, async ({ home, asked }) => {
    await new Service({ home }).post("/v1/search", { query: "x", none: undefined }, LIMITS);
    assert.deepEqual(asked, [
      { path: "/healthz", token: undefined, body: undefined },
      { path: "/v1/search", token: `Bearer ${TOKEN}`, body: { query: "x" } },
    ]);
  }));

test("another program on the port gets no token and no word", () =>
  withService(
    yes,
    async ({ home, asked }) => {
      await assert.rejects(new Service({ home }).post("/v1/search", { query: "x" }, LIMITS), { transient: true });
      assert.deepEqual(asked.map(({ path }) => path), ["/healthz"]);
      assert.deepEqual(tokens(asked), []);
    },
    { instance: "somebody else" },
  ));

test("an announcement that is open to others is none", { skip: process.platform === "win32" }, () =>
  withService(
    yes,
    async ({ home, asked }) => {
      await assert.rejects(new Service({ home }).get("/v1/status", LIMITS), /tercet serve/);
      assert.deepEqual(asked, []);
    },
    { mode: 0o644 },
  ));

test("the home's token is not sent to a service elsewhere", () =>
  withService(yes, ({ home }) =>
    withService(yes, async ({ url, asked }) => {
      await new Service({ home, url }).get("/v1/status", LIMITS);
      await new Service({ home, url, token: "its own" }).get("/v1/status", LIMITS);
      assert.deepEqual(tokens(asked), ["Bearer its own"]);
    }),
  ));

test("the home's own address, given by hand, is asked with the home's token", () =>
  withService(yes, async ({ home, url, asked }) => {
    await new Service({ home, url: `${url}/` }).get("/v1/status", LIMITS);
    assert.deepEqual(tokens(asked), [`Bearer ${TOKEN}`]);
  }));

test("a service that hangs is given up in time, one that is not there at once", () =>
  withService(
    () => null,
    async ({ home }) => {
      const started = performance.now();
      await assert.rejects(new Service({ home }).get("/v1/status", { timeoutMs: 200 }), { transient: true });
      assert.ok(performance.now() - started < 1500);
      await assert.rejects(new Service({ home: `${home}/none` }).get("/v1/status", LIMITS), /tercet serve/);
    },
  ));

test("a model cannot choose whose memory its tools ask", () =>
  withService(yes, async ({ home, asked }) => {
    const made = Object.fromEntries(memoryTools(new Service({ home }), { searchTimeoutMs: 2000 }));
    const context = { agentId: "main", sessionKey: "agent:main:telegram:7" };
    const other = { agent: "other", sessionKey: "agent:main:main" };
    await made.memory_search(context).execute("1", { query: "x", ...other });
    await made.memory_search({ agentId: "main" }).execute("2", { query: "x", ...other });
    await made.memory_store(context).execute("3", { text: "x", ...other });
    await made.memory_forget(context).execute("4", { id: "entry/1", ...other });
    const bodies = asked.map(({ body }) => body).filter(Boolean);
    assert.deepEqual(bodies.map(({ agent }) => agent), ["main", "main", "main", "main"]);
    assert.deepEqual(
      bodies.map(({ sessionKey }) => sessionKey),
      [context.sessionKey, undefined, context.sessionKey, context.sessionKey],
    );
    assert.equal(bodies[1].sharedOnly, true);
  }));

test("a call that makes no sense is an answer, not a failed run", () =>
  withService(() => ({ status: 400, value: { error: { message: "no such entry" } } }), async ({ home }) => {
    const made = Object.fromEntries(memoryTools(new Service({ home }), { searchTimeoutMs: 2000 }));
    const { details } = await made.memory_forget({ agentId: "main" }).execute("1", {});
    assert.deepEqual(details, { disabled: true, unavailable: false, error: "no such entry" });
    assert.equal(made.memory_search({}), null);
  }));

test("a proxy of the host is not asked", async (context) => {
  context.mock.method(globalThis, "fetch", () => assert.fail("the host's fetch"));
  await withService(yes, async ({ home }) => {
    assert.deepEqual(await new Service({ home }).get("/v1/status", LIMITS), yes().value);
  });
});

test("an answer without an end is given up", () =>
  withService(() => ({ value: "x".repeat(9 * 1024 * 1024) }), ({ home }) =>
    assert.rejects(new Service({ home }).get("/v1/status", LIMITS), { message: /too long/, transient: true }),
  ));

test("a redirect leads nowhere", () =>
  withService(() => ({ status: 302, value: {} }), ({ home }) =>
    assert.rejects(new Service({ home }).get("/v1/status", LIMITS), { status: 302 }),
  ));

test("words of every language arrive as they are", () =>
  withService(({ body }) => ({ value: { said: body.query } }), async ({ home }) => {
    const query = "妈妈的生日 🎂 \ud800";
    const { said } = await new Service({ home }).post("/v1/search", { query }, LIMITS);
    assert.equal(said, query);
  }));
