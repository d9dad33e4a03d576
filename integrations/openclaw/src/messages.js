// From the messages of a run, as OpenClaw has them, to those of a turn, as the service takes them.

const ROLES = new Set(["user", "assistant", "tool", "system"]);

/**
 * @param {unknown} messages `[{role, content: string | [{type, text}], timestamp?, id?}]`; others are passed by
 * @returns {{role: string, text: string, id?: string, timestamp?: string}[]}
 */
export function turnMessages(messages) {
  if (!Array.isArray(messages)) return [];
  return messages.map(turnMessage).filter((message) => message !== null);
}

function turnMessage(message) {
  const role = message?.role === "toolResult" ? "tool" : message?.role;
  if (!ROLES.has(role)) return null;
  const text = textOf(message.content);
  if (!text.trim() && role !== "tool") return null;
  const turned = { role, text };
  if (typeof message.id === "string" && message.id) turned.id = message.id;
  const moment = momentOf(message.timestamp);
  if (moment) turned.timestamp = moment;
  return turned;
}

function textOf(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter((part) => part?.type === "text" && typeof part.text === "string")
    .map((part) => part.text)
    .join("\n");
}

function momentOf(timestamp) {
  const moment = new Date(typeof timestamp === "string" && /^\d+$/.test(timestamp) ? Number(timestamp) : timestamp);
  return timestamp && !Number.isNaN(moment.getTime()) ? moment.toISOString() : undefined;
}

/** Remembers how far each session was handed over, so that a long conversation is not sent whole each time. */
export class Progress {
  #latest = new Map();
  static MOST_SESSIONS = 1000;

  /** The messages that are new since `done`; without times, those from the last user message on. */
  since(session, messages) {
    const latest = this.#latest.get(session);
    if (latest !== undefined && messages.every((message) => message.timestamp)) {
      return messages.filter((message) => message.timestamp > latest);
    }
    const start = messages.findLastIndex((message) => message.role === "user");
    return start < 0 ? [] : messages.slice(start);
  }

  done(session, messages) {
    const latest = messages.reduce((most, { timestamp = "" }) => (timestamp > most ? timestamp : most), "");
    if (!latest) return;
    this.#latest.delete(session);
    this.#latest.set(session, latest);
    if (this.#latest.size > Progress.MOST_SESSIONS) this.#latest.delete(this.#latest.keys().next().value);
  }
}
