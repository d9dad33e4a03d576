// The loop: what is known goes before an answer, what was said is handed over after it. Neither ever fails a run.
import { requestsOf, turnMessages } from "./messages.js";
import { Progress } from "./progress.js";
import { ServiceError } from "./service.js";

/** What is said cannot be taken in as it is: later neither. All else (down, late, a wrong token) is mended in time. */
const REFUSED_FOR_GOOD = new Set([400, 413, 415]);

export function registerHooks(api, { service, settings, spool }) {
  const warn = (what, error) => api.logger?.warn?.(`tercet: ${what}: ${error?.message ?? error}`);
  if (settings.recall) {
    api.on("before_prompt_build", async (event, context) => {
      try {
        return await recalled(service, settings, event, context);
      } catch (error) {
        warn("nothing recalled", error);
        return undefined;
      }
    });
  }
  if (settings.capture) {
    const progress = new Progress();
    api.on("agent_end", async (event, context) => {
      try {
        await handOver({ service, settings, spool, progress, warn }, event, context);
      } catch (error) {
        warn("a turn could neither be handed over nor kept for later", error);
      }
    });
  }
}

async function recalled(service, settings, event, context) {
  const message = event?.currentUserMessage ?? event?.prompt;
  if (typeof message !== "string" || !message.trim()) return undefined;
  const section = await service.post(
    "/v1/recall",
    { agent: context?.agentId, sessionKey: context?.sessionKey, message, budgetTokens: settings.budgetTokens },
    { timeoutMs: settings.recallTimeoutMs },
  );
  if (!section?.text) return undefined;
  const isSystem = (settings.placement ?? section.placement) === "system";
  return isSystem ? { appendSystemContext: section.text } : { prependContext: section.text };
}

async function handOver({ service, settings, spool, progress, warn }, event, context) {
  const { agentId: agent, sessionKey } = context ?? {};
  // Without a key nobody knows whose words these are, and a run of a timer or a check has no speaker.
  if (event?.success === false || !agent || !sessionKey || ["cron", "heartbeat"].includes(context?.trigger)) return;
  const all = turnMessages(event?.messages);
  const startedMs = Number.isFinite(event?.durationMs) ? Date.now() - event.durationMs : undefined;
  const messages = progress.since(sessionKey, all, startedMs);
  if (!messages.some((message) => message.role === "user")) return;
  let isDown = false;
  for (const part of requestsOf(messages)) {
    isDown = isDown || !(await isAccepted({ service, settings, warn }, { agent, sessionKey, messages: part }));
    if (isDown) await spool.put(agent, { sessionKey, messages: part });
  }
  progress.done(sessionKey, all);
}

async function isAccepted({ service, settings, warn }, turn) {
  try {
    await service.post("/v1/capture", turn, { timeoutMs: settings.captureTimeoutMs });
    return true;
  } catch (error) {
    if (!(error instanceof ServiceError) || REFUSED_FOR_GOOD.has(error.status)) throw error;
    warn("the turn waits in a file", error);
    return false;
  }
}
