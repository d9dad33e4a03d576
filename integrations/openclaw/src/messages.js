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

/** Characters of a message; the rest of a pasted log tells nothing about anybody. */
const MAX_TEXT = 20_000;
const MAX_REQUEST = 150_000;
const MOST_MESSAGES = 500;

/** Cut messages into requests of a size that the service takes; long texts are cut too. */
export function requestsOf(messages) {
  const parts = [];
  let length = 0;
  for (const message of messages) {
    const short = { ...message, text: message.text.slice(0, MAX_TEXT) };
    const part = parts.at(-1);
    if (!part || part.length >= MOST_MESSAGES || length + short.text.length > MAX_REQUEST) {
      parts.push([short]);
      length = short.text.length;
    } else {
      part.push(short);
      length += short.text.length;
    }
  }
  return parts;
}
