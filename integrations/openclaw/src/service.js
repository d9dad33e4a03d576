// The Tercet service over HTTP: found through the file it writes into its home, asked within a time limit.
import { readFile } from "node:fs/promises";
import { join } from "node:path";

const LARGEST_ANSWER = 8 * 1024 * 1024;

/** The service answered with an error of its own; `transient` says whether to try again later. */
export class ServiceError extends Error {
  constructor(message, { status = 0, transient = false } = {}) {
    super(message);
    this.name = "ServiceError";
    this.status = status;
    this.transient = transient;
  }
}

export class Service {
  #settings;

  constructor(settings) {
    this.#settings = settings;
  }

  /**
   * Post JSON and return the JSON of the answer.
   *
   * @param {string} path such as `/v1/search`
   * @param {object} body keys that are undefined are left out
   * @param {{timeoutMs: number, signal?: AbortSignal}} limits
   * @throws {ServiceError} it is down, late, or refuses
   */
  post(path, body, limits) {
    return this.#ask(path, { method: "POST", body: JSON.stringify(body) }, limits);
  }

  get(path, limits) {
    return this.#ask(path, { method: "GET" }, limits);
  }

  async #ask(path, request, { timeoutMs, signal }) {
    const limit = AbortSignal.timeout(timeoutMs);
    const { url, token } = await this.#address();
    const headers = { accept: "application/json", "content-type": "application/json" };
    if (token) headers.authorization = `Bearer ${token}`;
    let answer;
    let text;
    try {
      answer = await fetch(new URL(path, url), {
        ...request,
        headers,
        redirect: "error",
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      text = await answer.text();
    } catch (error) {
      const why = limit.aborted ? `did not answer within ${timeoutMs} ms` : `cannot be reached (${reason(error)})`;
      throw new ServiceError(`The Tercet service at ${url} ${why}: start it with 'tercet serve'.`, { transient: true });
    }
    if (text.length > LARGEST_ANSWER) throw new ServiceError(`The Tercet service at ${url} answered with too much.`);
    const value = parsed(text);
    if (answer.ok) return value;
    const message = value?.error?.message ?? `The Tercet service answered ${answer.status}.`;
    throw new ServiceError(message, {
      status: answer.status,
      transient: answer.status === 408 || answer.status === 429 || answer.status >= 500,
    });
  }

  /** Read anew each time: the service may have been started again on another port. */
  async #address() {
    const { url, token, home } = this.#settings;
    if (url) return { url, token: token ?? (await this.#written().catch(() => ({}))).token };
    let found;
    try {
      found = await this.#written();
    } catch {
      throw new ServiceError(`No Tercet service runs for ${home}: start it with 'tercet serve'.`, { transient: true });
    }
    return { url: found.url, token: token ?? found.token };
  }

  async #written() {
    const { url, token } = JSON.parse(await readFile(join(this.#settings.home, "service.json"), "utf8"));
    return { url, token };
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function reason(error) {
  return error?.cause?.code ?? error?.cause?.message ?? error?.message ?? String(error);
}
