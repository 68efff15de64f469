/**
 * The environment → which providers can be tried, and with what. Neighbours: `live.ts` tries them;
 * `docs/guide/live-test.md` is this file in words.
 */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import type { WireName } from '../../src/event/event.ts'
import { chatFlows } from '../support/sdk-chat.ts'
import type { Flows } from '../support/sdk-flow.ts'
import { messagesFlows } from '../support/sdk-messages.ts'
import { responsesFlows } from '../support/sdk-responses.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface LiveProvider {
  readonly name: string
  readonly baseUrl: string
  readonly apiKey: string
  readonly model: string
  readonly sdks: readonly LiveSdk[]
}

interface LiveSdk {
  readonly wire: WireName
  readonly flows: Flows
  /** How the model is asked to think. */
  readonly thinking: Readonly<Record<string, unknown>>
}

export interface LiveChoice {
  readonly providers: readonly LiveProvider[]
  /** Why the others are not tried, a sentence each. */
  readonly skipped: readonly string[]
}

export function chooseProviders(env: Environment): LiveChoice {
  const providers: LiveProvider[] = []
  const skipped: string[] = []
  for (const { name, key, ...more } of [anthropic(env), openai(env)]) {
    const apiKey = env[key]
    if (apiKey === undefined || apiKey === '')
      skipped.push(`${name} is not tried: set ${key} to try it`)
    else providers.push({ name, apiKey, ...more })
  }
  return { providers, skipped }
}

type Known = Omit<LiveProvider, 'apiKey'> & { readonly key: string }

const anthropic = (env: Environment): Known => ({
  name: 'anthropic',
  key: 'ANTHROPIC_API_KEY',
  baseUrl: toBase(env['ANTHROPIC_BASE_URL'], 'https://api.anthropic.com'),
  model: or(env['SLUICE_LIVE_ANTHROPIC_MODEL'], 'claude-sonnet-4-5'),
  sdks: [
    {
      wire: 'anthropic-messages',
      flows: messagesFlows(Anthropic),
      // Newer models refuse the one, older models the other.
      thinking:
        env['SLUICE_LIVE_ANTHROPIC_THINKING'] === 'adaptive'
          ? { type: 'adaptive' }
          : { type: 'enabled', budget_tokens: 1024 },
    },
  ],
})

const openai = (env: Environment): Known => ({
  name: 'openai',
  key: 'OPENAI_API_KEY',
  baseUrl: toBase(env['OPENAI_BASE_URL'], 'https://api.openai.com/v1'),
  model: or(env['SLUICE_LIVE_OPENAI_MODEL'], 'gpt-5-mini'),
  sdks: [
    {
      wire: 'openai-chat',
      flows: chatFlows(OpenAI),
      thinking: { reasoning_effort: 'low' },
    },
    {
      wire: 'openai-responses',
      flows: responsesFlows(OpenAI),
      thinking: { effort: 'low', summary: 'auto' },
    },
  ],
})

const or = (value: string | undefined, otherwise: string): string =>
  value === undefined || value === '' ? otherwise : value

const toBase = (value: string | undefined, otherwise: string): string =>
  or(value, otherwise).replace(/\/+$/, '')
