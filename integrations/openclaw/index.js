import { definePluginEntry } from "openclaw/plugin-sdk/plugin-entry";
import { registerHooks } from "./src/hooks.js";
import { memoryCapability } from "./src/manager.js";
import { Service } from "./src/service.js";
import { readSettings } from "./src/settings.js";
import { Spool } from "./src/spool.js";
import { memoryTools } from "./src/memory_tools.js";

export default definePluginEntry({
  id: "tercet",
  name: "Tercet",
  description: "Long-term memory in three layers.",
  kind: "memory",
  register(api) {
    const settings = readSettings(api.pluginConfig);
    const service = new Service(settings);
    api.registerMemoryCapability(memoryCapability(service, settings));
    for (const [name, make] of memoryTools(service, settings)) api.registerTool(make, { name });
    registerHooks(api, { service, settings, spool: new Spool(settings.home) });
  },
});
