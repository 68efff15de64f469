/**
 * What a model takes, by its name. Neighbours: `profile.ts` lays it over what its wire and vendor take. Names
 * change faster than we do: a version that is not known is taken for the newest, a family that is not known
 * for one of which nothing is known.
 */
import type { WireName } from '../event/event.ts'
import type { Profile, Vendor } from './profile.ts'
import type { Effort } from './request.ts'

export interface ModelOptions {
  readonly wire: WireName
  readonly vendor: Vendor
  readonly model: string
}

export function byModel({ wire, vendor, model }: ModelOptions): Partial<Profile> {
  const name = bareName(model)
  if (wire === 'anthropic-messages') return CLAUDE.test(name) ? claude(name) : OTHER_MESSAGES
  // Open weights, served by anybody: no model of the API, but one that knows efforts.
  if (name.startsWith('gpt-oss')) return { efforts: ['low', 'medium', 'high'] }
  if (vendor === 'openai' || vendor === 'azure' || OPENAI.test(name)) return openAi(name, wire)
  return name.startsWith('grok') ? grok(name) : {}
}

/** Without the folder that routers put before it (`openai/gpt-5.5`), and the mark of one's own training. */
export const bareName = (model: string): string =>
  model.toLowerCase().replace(/^.*\//, '').replace(/^ft:/, '')

const CLAUDE = /claude|opus|sonnet|haiku|fable|mythos/
const OPENAI = /^(?:gpt-\d|o\d|chatgpt|codex)/

/** Other vendors' models behind the Messages API: they follow what Claude 4 took. */
const OTHER_MESSAGES: Partial<Profile> = { thinking: 'manual', takesPrefill: true }

/** By generation: `claude-sonnet-4-5`, `claude-opus-4-1-20250805`, `claude-3-7-sonnet-latest`. */
function claude(name: string): Partial<Profile> {
  const found = /claude-(?:[a-z]+-)?(\d+)(?:[-.](\d{1,2})(?!\d))?/.exec(name)
  const major = Number(found?.[1] ?? 99)
  const version = major + Number(found?.[2] ?? 0) / 100
  if (version < 3.07) return { thinking: 'none', takesPrefill: true, maxTokens: 4096 }
  if (version < 4.06 || (name.includes('haiku') && major === 4))
    return { thinking: 'manual', takesPrefill: true, maxTokens: 32_000 }
  return {
    thinking: 'adaptive',
    efforts:
      version < 4.07 ? ['low', 'medium', 'high', 'max'] : ['low', 'medium', 'high', 'xhigh', 'max'],
    // Newer than 4.6 refuse it, whatever the value.
    takesSampling: version < 4.07,
    // Reported of Opus 4.8 and later and of the Fable family: a 400 elsewhere.
    takesMidSystem: version >= 4.08 && !/sonnet|haiku/.test(name),
    // Some models always think, and refuse to be told not to.
    canStopThinking: !/fable|mythos/.test(name),
    maxTokens: 64_000,
  }
}

function openAi(name: string, wire: WireName): Partial<Profile> {
  const gpt = /^gpt-(\d+)(?:\.(\d+))?/.exec(name)
  const version = gpt === null ? 0 : Number(gpt[1]) + Number(gpt[2] ?? 0) / 10
  const isReasoning =
    /^o\d/.test(name) ||
    name.startsWith('codex') ||
    (version >= 5 && !name.startsWith('gpt-5-chat'))
  if (!isReasoning)
    return {
      efforts: undefined,
      maxTokensField: 'max_completion_tokens',
      // Below 5 there is one verbosity, and to ask for another is a 400.
      ...(version > 0 ? { takesVerbosity: version >= 5 } : {}),
    }
  const efforts = openAiEfforts(name, version)
  return {
    maxTokensField: 'max_completion_tokens',
    systemRole: 'developer',
    takesSampling: false,
    takesVerbosity: version >= 5,
    maxStop: 0,
    efforts,
    canStopThinking: efforts.includes('none'),
    takesCacheMarks: version >= 5.6,
    takesToolsWithReasoning: wire !== 'openai-chat' || version < 5.4,
  }
}

function openAiEfforts(name: string, version: number): readonly Effort[] {
  const most: readonly Effort[] = version >= 5.2 || name.includes('codex-max') ? ['xhigh'] : []
  if (/-pro\b/.test(name)) return version >= 5.2 ? ['medium', 'high', ...most] : ['high']
  const usual: readonly Effort[] = ['low', 'medium', 'high', ...most]
  if (name.includes('codex') || version < 5) return usual
  return [version >= 5.1 ? 'none' : 'minimal', ...usual]
}

/** Those that think refuse to be told where to stop; only the small one of the third takes an effort. */
function grok(name: string): Partial<Profile> {
  if (name.startsWith('grok-3-mini')) return { efforts: ['low', 'high'], maxStop: 0 }
  return /^grok-(?:[12]|3)\b/.test(name) ? {} : { maxStop: 0 }
}
