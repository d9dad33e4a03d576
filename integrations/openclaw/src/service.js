// The Tercet service over HTTP: found through the file it writes into its home, asked within a time limit.
import { open } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
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
   * @throws {ServiceError} it is down, late, says too much, or refuses
   */
  post(path, body, limits) {
    return this.#ask(path, { method: "POST", body: JSON.stringify(body) }, limits);
  }

  get(path, limits) {
    return this.#ask(path, { method: "GET" }, limits);
  }

  async #ask(path, request, { timeoutMs, signal }) {
    const limit = AbortSignal.timeout(timeoutMs);
    const both = signal ? AbortSignal.any([signal, limit]) : limit;
    const { url, token, instance } = await this.#address();
    if (instance) await this.#proven(url, instance, both);
    const headers = { accept: "application/json", "content-type": "application/json" };
    if (token) headers.authorization = `Bearer ${token}`;
    const { status, text } = await exchanged(new URL(path, url), { ...request, headers, signal: both });
    const value = parsed(text);
    if (status >= 200 && status < 300) return value;
    const message = value?.error?.message ?? `The Tercet service answered ${status}.`;
    throw new ServiceError(message, { status, transient: status === 408 || status === 429 || status >= 500 });
  }

  /** The token goes only to who knows the instance: another program may have the port of a service that ended. */
  async #proven(url, instance, signal) {
    const { text } = await exchanged(new URL("/healthz", url), { signal });
    if (parsed(text)?.instance !== instance) throw none(this.#settings.home);
  }

  /** Read anew each time: the service may have been started again on another port. */
  async #address() {
    const { url, token, home } = this.#settings;
    if (url && token) return { url, token };
    const found = await this.#written();
    // The home's token is for the home's service, never for one elsewhere.
    if (url && (!found || new URL(url).origin !== found.url)) return { url };
    if (!found) throw none(home);
    return { ...found, token: token ?? found.token };
  }

  /** What the service wrote into its home; null where there is nothing, or others may write it. */
  async #written() {
    let file;
    try {
      file = await open(join(this.#settings.home, "service.json"), "r");
      if (isOthersToo(await file.stat())) return null;
      const { url, token, instance } = JSON.parse(await file.readFile("utf8"));
      return { url: new URL(url).origin, token, instance };
    } catch {
      return null;
    } finally {
      await file?.close();
    }
  }
}

function isOthersToo({ mode, uid }) {
  return process.platform !== "win32" && ((mode & 0o077) !== 0 || uid !== process.getuid());
}

function none(home) {
  return new ServiceError(`No Tercet service runs for ${home}: start it with 'tercet serve'.`, { transient: true });
}

/** @returns {Promise<{status: number, text: string}>} */
async function exchanged(url, request) {
  try {
    return await sent(url, request);
  } catch (error) {
    const why = request.signal.aborted ? "did not answer in time" : `cannot be reached (${reason(error)})`;
    throw new ServiceError(`The Tercet service at ${url.origin} ${why}: start it with 'tercet serve'.`, {
      transient: true,
    });
  }
}

/** Not `fetch`: the host may have sent all of it through a proxy, which has no business between two processes here. */
function sent(url, { method = "GET", headers, body, signal }) {
  return new Promise((resolve, reject) => {
    const { request } = url.protocol === "https:" ? https : http;
    const asked = request(url, { method, headers, signal, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (part) => {
        text += part;
        if (text.length > LARGEST_ANSWER) answer.destroy(new Error("its answer is too long"));
      });
      answer.on("end", () => resolve({ status: answer.statusCode, text }));
      answer.on("error", reject);
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function reason(error) {
  return error?.code ?? error?.message ?? String(error);
}
