// What the plug-in was configured with; the service's own settings decide everything else.
import { homedir } from "node:os";
import { join, resolve } from "node:path";

export const DEFAULTS = {
  recall: true,
  capture: true,
  recallTimeoutMs: 2500,
  captureTimeoutMs: 3000,
  searchTimeoutMs: 10_000,
};

/**
 * @param {Record<string, unknown> | undefined} given `plugins.entries.tercet.config`, checked by OpenClaw
 *   against the manifest.
 */
export function readSettings(given) {
  const home = expanded(given?.home || process.env.TERCET_HOME || "~/.tercet");
  return Object.freeze({ ...DEFAULTS, ...given, home });
}

function expanded(path) {
  return resolve(path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path);
}
