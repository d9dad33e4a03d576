// OpenClaw's MemorySearchManager over the service.
import { posix } from "node:path";

const READ_LINES = 120;
const READ_CHARACTERS = 12_000;
const SNIPPET = 700;
const PROBE_MS = 3000;

export function memoryCapability(service, settings) {
  return {
    promptBuilder: () => [
      "## Memory",
      "What is known about this turn is put before it by itself. Call memory_search before answering about",
      "earlier work, dates, people or preferences that it does not cover; memory_get reads around a hit.",
      "",
    ],
    runtime: {
      getMemorySearchManager: async ({ agentId }) => ({ manager: manager(service, settings, agentId) }),
      resolveMemoryBackendConfig: () => ({ backend: "builtin" }),
      supportsWorkspaceMemoryReadSources: true,
      classifyWorkspaceMemoryPaths: async ({ relativePaths }) =>
        relativePaths.map((relativePath) => ({ relativePath, originClass: originOf(relativePath) })),
      authorizeSearchHits: async ({ hits }) => hits.filter((hit) => hit.source !== "sessions"),
    },
  };
}

/** Whose words a file of the workspace holds: the curated ones are the owner's, the daily ones the agent's. */
export function originOf(relativePath) {
  const path = posix.normalize(String(relativePath).replaceAll("\\", "/"));
  if (path.startsWith("/") || path.startsWith("../") || path === "..") return "untrusted";
  if (/^(MEMORY|USER)\.md$/i.test(path)) return "owner";
  return /^memory\/.+\.md$/i.test(path) ? "agent" : "untrusted";
}

function manager(service, settings, agentId) {
  let last = { backend: "builtin", provider: "tercet" };
  const limits = (signal) => ({ timeoutMs: settings.searchTimeoutMs, signal });
  return {
    async search(query, options = {}) {
      const found = await searched(service, { ...options, agent: agentId, query }, limits(options.signal));
      if (found.degraded) options.onDebug?.({ backend: "builtin", degraded: found.degraded });
      return found.results;
    },
    readFile: ({ relPath, from, lines }) => readLines(service, { agent: agentId, ref: relPath, from, lines }, limits()),
    status() {
      refreshed(service, agentId).then(
        (status) => {
          last = status;
        },
        (error) => {
          last = { ...last, dirty: true, lastSyncError: error.message };
        },
      );
      return last;
    },
    async probeEmbeddingAvailability() {
      const checkedAtMs = Date.now();
      try {
        const { embedder } = await service.get(statusPath(agentId), { timeoutMs: PROBE_MS });
        return { ok: embedder.ok, error: embedder.reason ?? undefined, checked: true, checkedAtMs };
      } catch (error) {
        return { ok: false, error: error.message, checked: true, checkedAtMs };
      }
    },
    probeVectorAvailability: () =>
      service.get(statusPath(agentId), { timeoutMs: PROBE_MS }).then(
        (status) => status.vectorStore.ok,
        () => false,
      ),
    // The service watches the files itself.
    sync: async () => {},
    close: async () => {},
  };
}

/** Search, and return OpenClaw's results; without a session key only what the agent shares with everyone. */
export async function searched(service, { agent, sessionKey, query, maxResults = 6, minScore, lexicalOnly }, limits) {
  const answer = await service.post(
    "/v1/search",
    {
      agent,
      sessionKey,
      sharedOnly: sessionKey ? undefined : true,
      query,
      limit: Math.min(Math.max(Math.trunc(maxResults) || 6, 1), 200),
      // OpenClaw's own floor is on another scale; what is asked for beyond 0 is left to the service's.
      minScore: minScore === 0 ? 0 : undefined,
      mode: lexicalOnly ? "keyword" : undefined,
      explain: true,
    },
    limits,
  );
  return { results: answer.results.map(asResult), degraded: answer.degraded };
}

function asResult(hit) {
  const path = hit.path === null ? `entry/${hit.id}` : hit.path;
  const isLocated = hit.path !== null;
  return {
    path,
    startLine: hit.startLine ?? 1,
    endLine: hit.endLine ?? 1,
    score: hit.score,
    vectorScore: hit.signals?.vector?.value,
    textScore: hit.signals?.keyword?.value ?? hit.signals?.bm25?.value,
    snippet: hit.snippet.slice(0, SNIPPET),
    source: "memory",
    citation: isLocated ? `${path}#L${hit.startLine}-L${hit.endLine}` : path,
    importance: hit.importance ?? undefined,
    provenance: {
      originClass: hit.origin,
      sessionKind: "unknown",
      observedAt: hit.timestamp ? Date.parse(hit.timestamp) : undefined,
    },
  };
}

/** Lines of a file, note or entry, in the form of OpenClaw's `readFile`. */
export async function readLines(service, { agent, sessionKey, ref, from = 1, lines = READ_LINES }, limits) {
  const target = String(ref).replace(/^entry\//, "");
  let file;
  try {
    file = await service.get(`/v1/files${asked({ agent, sessionKey, ref: target, start: from, lines })}`, limits);
  } catch (error) {
    if (error.status === 404) return { status: "not_found", text: "", path: ref };
    if (error.status === 400 && /leaves|outside|absolute/.test(error.message)) error.code = "MEMORY_PATH_NOT_ALLOWED";
    throw error;
  }
  const read = file.endLine - file.startLine + 1;
  const more = file.endLine < file.totalLines;
  const text = file.text.slice(0, READ_CHARACTERS);
  return {
    status: "ok",
    text,
    path: ref,
    from: file.startLine,
    lines: read,
    ...(more || text.length < file.text.length ? { truncated: true, nextFrom: file.endLine + 1 } : {}),
  };
}

const statusPath = (agent) => `/v1/status${asked({ agent })}`;

function asked(values) {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

async function refreshed(service, agentId) {
  const status = await service.get(statusPath(agentId), { timeoutMs: PROBE_MS });
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  return {
    backend: "builtin",
    provider: "tercet",
    model: status.embedder.identity,
    files: sum(status.folders.map((folder) => folder.files)),
    chunks: sum(status.folders.map((folder) => folder.chunks)),
    dirty: status.folders.some((folder) => folder.waiting > 0),
    dbPath: status.home,
    sources: ["memory"],
    fts: { enabled: true, available: true },
    vector: { enabled: true, storeAvailable: status.vectorStore.ok, available: status.vectorStore.ok },
    custom: { searchMode: status.embedder.ok ? "hybrid" : "fts-only" },
  };
}
