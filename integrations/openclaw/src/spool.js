// Where a turn waits while the service is down: one private file, taken in by the service when it runs again.
import { randomBytes } from "node:crypto";
import { mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { redact } from "./redaction.js";

export class Spool {
  #home;

  constructor(home) {
    this.#home = home;
  }

  /**
   * Write a turn durably: the file is whole or not there. It holds the user's words alone, without secrets.
   *
   * @param {string} agent whose turn it is
   * @param {{sessionKey: string, messages: object[]}} turn
   */
  async put(agent, turn, now = new Date()) {
    if (!/^[a-z0-9_-]{1,64}$/.test(agent)) throw new Error(`The agent ${JSON.stringify(agent)} cannot be spooled.`);
    const said = turn.messages.filter(({ role, text }) => role === "user" && text.trim());
    if (!said.length) return;
    const folder = join(this.#home, "spool", agent);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const value = {
      sessionKey: turn.sessionKey,
      receivedAt: now.toISOString(),
      messages: said.map(({ role, text, id = "", timestamp = null }) => ({ role, text: redact(text), id, timestamp })),
    };
    const name = `${(now.getTime() / 1000).toFixed(6).padStart(17, "0")}-${randomBytes(8).toString("hex")}`;
    const temporary = join(folder, `.${name}.tmp`);
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(JSON.stringify(value), "utf8");
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, join(folder, `${name}.json`));
    await synced(folder);
  }
}

async function synced(folder) {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
