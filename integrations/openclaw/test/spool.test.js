import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { redact } from "../src/redaction.js";
import { Spool } from "../src/spool.js";

const SECRETS = [
  `my key is sk-${"proj-"}${"aB3x".repeat(8)} for now`,
  `ghp_${"a1B2".repeat(9)}`,
  `AKIA${"ABCD1234".repeat(2)}`,
  "postgres://ines:hunter22@db.example:5432/x",
  "密码是hunter22。",
  "my password is hunter22.",
  'PASSWORD="hunter22"',
  `api_key = ${"q9Zt".repeat(5)}`,
  `Authorization: Bearer ${"q9Zt".repeat(5)}`,
  `-----BEGIN PRIVATE KEY-----\n${"q9Zt".repeat(20)}\n-----END PRIVATE KEY-----`,
  `eyJhbGciOi.${"q9Zt".repeat(5)}.${"q9Zt".repeat(5)}`,
];

for (const text of SECRETS) {
  test(`no secret is left of ${text.slice(0, 18)}`, () => {
    const left = redact(text);
    assert.match(left, /\[redacted: /);
    assert.doesNotMatch(left, /hunter22|(?:q9Zt){3}|(?:aB3x){3}|(?:a1B2){3}|(?:ABCD1234){2}/);
    assert.equal(redact(left), left);
  });
}

for (const text of [
  "The password was wrong again, see https://example.org/a:b/c",
  "Order E-4117, phone +32 470 12 34 56, commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
  "她的生日是三月初八。",
]) {
  test(`what is no secret stays: ${text.slice(0, 18)}`, () => assert.equal(redact(text), text));
}

test("a turn waits whole, private, and as the user's words alone", async () => {
  const home = await mkdtemp(join(tmpdir(), "tercet-spool-"));
  try {
    const messages = [
      { role: "user", text: "Lotte moved; my password is hunter22.", timestamp: "2026-05-28T20:26:40.000Z" },
      { role: "assistant", text: "Noted." },
      { role: "tool", text: "AWS_SECRET" },
    ];
    await new Spool(home).put("main", { sessionKey: "agent:main:main", messages }, new Date(1_780_000_000_000));
    const folder = join(home, "spool", "main");
    const [name, ...others] = await readdir(folder);
    assert.deepEqual(others, []);
    assert.match(name, /^\d{10}\.\d{6}-[0-9a-f]{16}\.json$/);
    assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600);
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    assert.deepEqual(JSON.parse(await readFile(join(folder, name), "utf8")), {
      sessionKey: "agent:main:main",
      receivedAt: "2026-05-28T20:26:40.000Z",
      messages: [
        { role: "user", text: "Lotte moved; my password is [redacted: password].", id: "", timestamp: "2026-05-28T20:26:40.000Z" },
      ],
    });
  } finally {
    await rm(home, { recursive: true });
  }
});

test("an agent's name leads nowhere else", async () => {
  await assert.rejects(new Spool(tmpdir()).put("../other", { sessionKey: "x", messages: [{ role: "user", text: "x" }] }));
});
