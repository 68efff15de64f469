/**
 * A request from what was read of it: the conversation and the tools, and the settings beside them. Neighbours: wires whose bodies are
 * read in these two parts. Field by field: an object that is spread, and then grows by a dozen fields, is slow to make, and large.
 */
import type { ModelRequest } from './request.ts'

type Spoken = Pick<
  ModelRequest,
  'source' | 'model' | 'isStream' | 'system' | 'turns' | 'tools' | 'toolChoice' | 'lost' | 'needed'
>

/** Everything beside the conversation and the tools. */
export type RequestSettings = Omit<ModelRequest, keyof Spoken>

export const makeRequest = (spoken: Spoken, settings: RequestSettings): ModelRequest => ({
  source: spoken.source,
  model: spoken.model,
  isStream: spoken.isStream,
  system: spoken.system,
  turns: spoken.turns,
  tools: spoken.tools,
  toolChoice: spoken.toolChoice,
  isParallel: settings.isParallel,
  maxTokens: settings.maxTokens,
  stop: settings.stop,
  sampling: settings.sampling,
  reasoning: settings.reasoning,
  format: settings.format,
  verbosity: settings.verbosity,
  user: settings.user,
  metadata: settings.metadata,
  cache: settings.cache,
  serviceTier: settings.serviceTier,
  isStored: settings.isStored,
  logprobs: settings.logprobs,
  lost: spoken.lost,
  needed: spoken.needed,
})
