/**
 * What an upstream and its model take, beyond what their wire says. By the vendor, which the address tells or
 * the config names, and by the model's name: what no table knows gets what most servers of its wire take.
 * Neighbours: each wire's request writer asks; `config/` may name the vendor; `profile-models.ts` knows the
 * models. Holds facts and no code of a wire.
 */
import type { WireName } from '../event/event.ts'
import { bareName, byModel } from './profile-models.ts'
import type { Effort } from './request.ts'

export const VENDORS = [
  'anthropic',
  'openai',
  'azure',
  'deepseek',
  'gemini',
  'groq',
  'mistral',
  'moonshot',
  'ollama',
  'openrouter',
  'qwen',
  'vllm',
  'xai',
  'other',
] as const
export type Vendor = (typeof VENDORS)[number]

export interface Profile {
  readonly vendor: Vendor
  /** The words for effort that the model knows; `undefined`: it has no such setting. */
  readonly efforts: readonly Effort[] | undefined
  /** Messages: how thinking is asked for. */
  readonly thinking: 'adaptive' | 'manual' | 'none'
  /** Whether it can be told not to think. */
  readonly canStopThinking: boolean
  /** Whether `temperature` and its like are taken. */
  readonly takesSampling: boolean
  /** What an output limit is, where the client gave none and the wire wants one. */
  readonly maxTokens: number
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
  readonly systemRole: 'system' | 'developer'
  /** Messages: whether `role: system` may stand inside the conversation. */
  readonly takesMidSystem: boolean
  /** Messages: whether the conversation may end with the beginning of the answer. */
  readonly takesPrefill: boolean
  /** Chat: where thinking goes in the history, if the server wants it back. */
  readonly thinkingField: 'reasoning_content' | 'reasoning' | 'reasoning_details' | undefined
  /** Chat: where the end user's id goes. */
  readonly userField: 'safety_identifier' | 'user' | undefined
  readonly toolIds: { readonly maxLength: number; readonly form: 'any' | 'plain' | 'nine' }
  readonly maxToolName: number
  readonly maxStop: number
  /** Chat: whether tools of type `custom` are known. */
  readonly takesCustomTools: boolean
  /** Chat: whether reasoning and function tools go together. */
  readonly takesToolsWithReasoning: boolean
  /** Whether cache marks on parts and a cache key are known. */
  readonly takesCacheMarks: boolean
  readonly takesCacheKey: boolean
  readonly takesStreamOptions: boolean
  readonly takesParallelFlag: boolean
  readonly takesVerbosity: boolean
  readonly takesMetadata: boolean
  readonly takesServiceTier: boolean
  /** Which JSON Schema a tool may have. */
  readonly schema: 'full' | 'gemini' | 'anthropic'
  /** Whether `response_format: json_schema` is known; else only `json_object`. */
  readonly takesJsonSchema: boolean
}

export interface ProfileOptions {
  readonly wire: WireName
  /** Of the base URL. */
  readonly host?: string | undefined
  /** As the config names it. */
  readonly vendor?: Vendor | undefined
  readonly model: string
}

export function toProfile({ wire, host, vendor: named, model }: ProfileOptions): Profile {
  const vendor = named ?? vendorOf(wire, host ?? '', model)
  const base = wire === 'anthropic-messages' ? MESSAGES : wire === 'openai-chat' ? CHAT : RESPONSES
  const byVendor =
    wire === 'openai-chat'
      ? CHAT_VENDORS[vendor]
      : wire === 'openai-responses' && !OPENAI.has(vendor)
        ? RESPONSES_ELSEWHERE
        : undefined
  return { ...base, ...byVendor, ...byModel({ wire, vendor, model }), vendor }
}

const HOSTS: readonly (readonly [RegExp, Vendor])[] = [
  [/(?:^|\.)anthropic\.com$/, 'anthropic'],
  [/\.(?:openai\.azure|cognitiveservices\.azure|services\.ai\.azure)\.com$/, 'azure'],
  [/(?:^|\.)openai\.com$/, 'openai'],
  [/(?:^|\.)chatgpt\.com$/, 'openai'],
  [/(?:^|\.)deepseek\.com$/, 'deepseek'],
  [/(?:^|\.)googleapis\.com$/, 'gemini'],
  [/(?:^|\.)groq\.com$/, 'groq'],
  [/(?:^|\.)mistral\.ai$/, 'mistral'],
  [/(?:^|\.)moonshot\.(?:ai|cn)$/, 'moonshot'],
  [/(?:^|\.)openrouter\.ai$/, 'openrouter'],
  [/(?:^|\.)(?:aliyuncs|dashscope)\.com$/, 'qwen'],
  [/(?:^|\.)x\.ai$/, 'xai'],
]

function vendorOf(wire: WireName, host: string, model: string): Vendor {
  for (const [pattern, vendor] of HOSTS) if (pattern.test(host.toLowerCase())) return vendor
  if (wire === 'anthropic-messages') return 'anthropic'
  if (wire === 'openai-responses') return 'openai'
  // A compatible server somewhere: the model's name says what it wants back.
  const name = bareName(model)
  if (name.startsWith('deepseek')) return 'deepseek'
  if (name.startsWith('gemini')) return 'gemini'
  if (name.startsWith('kimi')) return 'moonshot'
  return 'other'
}

const COMMON: Profile = {
  vendor: 'other',
  efforts: undefined,
  thinking: 'none',
  canStopThinking: true,
  takesSampling: true,
  maxTokens: 8192,
  maxTokensField: 'max_tokens',
  systemRole: 'system',
  takesMidSystem: true,
  takesPrefill: false,
  thinkingField: undefined,
  userField: undefined,
  toolIds: { maxLength: 64, form: 'any' },
  maxToolName: 64,
  maxStop: 4,
  takesCustomTools: false,
  takesToolsWithReasoning: true,
  takesCacheMarks: false,
  takesCacheKey: false,
  takesStreamOptions: true,
  takesParallelFlag: true,
  takesVerbosity: false,
  takesMetadata: false,
  takesServiceTier: false,
  schema: 'full',
  takesJsonSchema: true,
}

const MESSAGES: Profile = {
  ...COMMON,
  takesMidSystem: false,
  takesCacheMarks: true,
  takesServiceTier: true,
  toolIds: { maxLength: 64, form: 'plain' },
  maxToolName: 128,
  maxStop: Number.POSITIVE_INFINITY,
  schema: 'anthropic',
  maxTokens: 32_000,
}

const CHAT: Profile = {
  ...COMMON,
  toolIds: { maxLength: 40, form: 'any' },
  userField: 'user',
  efforts: ['low', 'medium', 'high'],
}

const RESPONSES: Profile = {
  ...COMMON,
  toolIds: { maxLength: 64, form: 'any' },
  maxToolName: 128,
  maxStop: 0,
  systemRole: 'developer',
  userField: 'safety_identifier',
  takesCustomTools: true,
  takesCacheKey: true,
  takesVerbosity: true,
  takesMetadata: true,
  takesServiceTier: true,
  efforts: ['low', 'medium', 'high'],
}

/** Whose Responses is the whole of it. */
const OPENAI: ReadonlySet<Vendor> = new Set<Vendor>(['openai', 'azure'])

/** Other servers with a Responses endpoint have functions, and little else. */
const RESPONSES_ELSEWHERE: Partial<Profile> = {
  takesCustomTools: false,
  takesCacheKey: false,
  takesVerbosity: false,
  takesServiceTier: false,
}

const CHAT_VENDORS: Readonly<Record<Vendor, Partial<Profile>>> = {
  anthropic: {},
  openai: {
    maxTokensField: 'max_completion_tokens',
    userField: 'safety_identifier',
    takesCustomTools: true,
    takesCacheKey: true,
    takesMetadata: true,
    takesServiceTier: true,
  },
  azure: { maxTokensField: 'max_completion_tokens', takesCacheKey: true },
  deepseek: {
    thinkingField: 'reasoning_content',
    efforts: undefined,
    takesParallelFlag: false,
    takesJsonSchema: false,
    maxStop: 16,
  },
  gemini: {
    schema: 'gemini',
    takesParallelFlag: false,
    // A field that it does not know is a 400 there.
    userField: undefined,
    efforts: ['none', 'low', 'medium', 'high'],
  },
  // Both refuse an effort for models that do not think; `profile-models.ts` knows some that do.
  groq: { efforts: undefined },
  mistral: {
    toolIds: { maxLength: 9, form: 'nine' },
    efforts: undefined,
    userField: undefined,
    takesStreamOptions: false,
  },
  moonshot: { thinkingField: 'reasoning_content', efforts: undefined },
  ollama: { takesParallelFlag: false, userField: undefined, efforts: undefined },
  openrouter: {
    thinkingField: 'reasoning_details',
    efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
    takesVerbosity: true,
  },
  qwen: { thinkingField: 'reasoning_content', efforts: undefined },
  vllm: { thinkingField: 'reasoning' },
  xai: { efforts: undefined },
  other: {},
}
