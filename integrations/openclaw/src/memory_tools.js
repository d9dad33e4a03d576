// The tools an agent calls itself. A fault comes back as an answer that says what to do, never as a failed run.
import { readLines, searched } from "./manager.js";

export function memoryTools(service, settings) {
  const limits = (signal) => ({ timeoutMs: settings.searchTimeoutMs, signal });
  // The context comes last: a model may write what it likes, and not choose whose memory it is.
  const tools = [
    {
      name: "memory_search",
      description: "Find what is remembered: facts, notes and Markdown memory files, by meaning and by words.",
      properties: {
        query: { type: "string", description: "In words, in any language." },
        maxResults: { type: "integer", minimum: 1, maximum: 50 },
      },
      required: ["query"],
      run: (params, context, signal) => searched(service, { ...params, ...context }, limits(signal)),
    },
    {
      name: "memory_get",
      description: "Read lines of a memory file, or one entry, by the path of a search result.",
      properties: {
        path: { type: "string" },
        from: { type: "integer", minimum: 1 },
        lines: { type: "integer", minimum: 1, maximum: 2000 },
      },
      required: ["path"],
      run: ({ path, from, lines }, context, signal) =>
        readLines(service, { ...context, ref: path, from, lines }, limits(signal)),
    },
    {
      name: "memory_store",
      description: "Remember one fact for later conversations with this person.",
      properties: {
        text: { type: "string" },
        category: { type: "string", enum: ["preference", "fact", "decision", "entity", "other"] },
        importance: { type: "number", minimum: 0, maximum: 1 },
      },
      required: ["text"],
      run: (params, context, signal) => service.post("/v1/memories", { ...params, ...context }, limits(signal)),
    },
    {
      name: "memory_forget",
      description: "Forget one entry, by the id of a search result (entry/ID).",
      properties: { id: { type: "string" } },
      required: ["id"],
      run: ({ id }, context, signal) =>
        service.post("/v1/memories/forget", { ...context, ids: [String(id).replace(/^entry\//, "")] }, limits(signal)),
    },
  ];
  return tools.map((tool) => [tool.name, (context) => toolFor(tool, context)]);
}

/** OpenClaw makes a tool for each run; without an agent there is nobody's memory to ask. */
function toolFor({ name, description, properties, required, run }, { agentId: agent, sessionKey } = {}) {
  if (!agent) return null;
  return {
    name,
    label: name,
    description,
    parameters: { type: "object", properties, required, additionalProperties: false },
    async execute(_id, params, signal) {
      const details = await answered(() => run(params, { agent, sessionKey }, signal));
      return { content: [{ type: "text", text: JSON.stringify(details) }], details };
    },
  };
}

async function answered(run) {
  try {
    return await run();
  } catch (error) {
    return { disabled: true, unavailable: Boolean(error.transient), error: error.message };
  }
}
