// The loop: what is known goes before an answer, what was said is handed over after it. Neither ever fails a run.
import { Progress, turnMessages } from "./messages.js";

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
  const messages = progress.since(sessionKey, all);
  if (!messages.some((message) => message.role === "user")) return;
  try {
    await service.post("/v1/capture", { agent, sessionKey, messages }, { timeoutMs: settings.captureTimeoutMs });
  } catch (error) {
    if (!error?.transient) throw error;
    warn("the turn waits in a file", error);
    await spool.put(agent, { sessionKey, messages });
  }
  progress.done(sessionKey, all);
}
