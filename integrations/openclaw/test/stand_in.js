// A stand-in for the service, and a home that announces it.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const INSTANCE = "instance-of-the-test";
export const TOKEN = "token-of-the-home";

/**
 * Run a test with a service that answers as it is told.
 *
 * @param {(asked: {path: string, token?: string, body: object}) => {status?: number, value?: object} | null} answer
 *   null leaves the request without an answer
 * @param {(given: {home: string, url: string, asked: object[]}) => Promise<void>} run
 */
export async function withService(answer, run, { instance = INSTANCE, mode = 0o600 } = {}) {
  const asked = [];
  const server = createServer(async (request, reply) => {
    let text = "";
    for await (const part of request) text += part;
    const seen = { path: request.url, token: request.headers.authorization, body: text ? JSON.parse(text) : undefined };
    asked.push(seen);
    const told = request.url === "/healthz" ? { value: { instance } } : answer(seen);
    if (told) reply.writeHead(told.status ?? 200).end(JSON.stringify(told.value ?? {}));
  });
  const home = await mkdtemp(join(tmpdir(), "tercet-home-"));
  try {
    await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
    const url = `http://127.0.0.1:${server.address().port}`;
    await writeFile(join(home, "service.json"), JSON.stringify({ url, token: TOKEN, instance: INSTANCE }), { mode });
    await run({ home, url, asked });
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(home, { recursive: true });
  }
}
