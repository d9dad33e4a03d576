// How far each session was handed over, so that a long conversation is not sent whole after each turn.
import { createHash } from "node:crypto";

const MOST_SESSIONS = 1000;
/** A message may be a little older than the run that answers it. Told twice is kept once, by text and time. */
const SLACK_MS = 5000;

export class Progress {
  #last = new Map();

  /**
   * Return the messages behind the last one that was handed over. Where that is not known (the first run of this
   * process, a transcript begun anew), those of the run.
   *
   * @param {string} session
   * @param {object[]} messages all of the session, as `turnMessages` gives them
   * @param {number} [startedMs] when the run began; messages said during it are its own too
   */
  since(session, messages, startedMs = Infinity) {
    const last = this.#last.get(session);
    const place = last === undefined ? -1 : messages.findLastIndex((message) => keyOf(message) === last);
    if (place >= 0) return messages.slice(place + 1);
    const asked = messages.findLastIndex((message) => message.role === "user");
    if (asked < 0) return [];
    const during = messages.findIndex(({ timestamp }) => Date.parse(timestamp) >= startedMs - SLACK_MS);
    return messages.slice(during < 0 ? asked : Math.min(asked, during));
  }

  done(session, messages) {
    this.#last.delete(session);
    const last = messages.at(-1);
    // The text alone would not tell this "Done." from the next one.
    if (!last?.id && !last?.timestamp) return;
    this.#last.set(session, keyOf(last));
    if (this.#last.size > MOST_SESSIONS) this.#last.delete(this.#last.keys().next().value);
  }
}

function keyOf({ role, id = "", timestamp = "", text }) {
  return createHash("sha256").update(JSON.stringify([role, id, timestamp, text])).digest("base64");
}
