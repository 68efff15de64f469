/**
 * What well-known models cost, in US dollars for a million tokens, as their vendors' price lists said in mid-2026: list
 * prices for short contexts, without batches, tiers and taxes. Neighbours: `prices.ts`. A model that is not here has no
 * cost; `prices` in the config stands in front of this table. The first pattern that fits wins, so that longer names stand
 * before shorter ones, and there is none that would take a model of next year.
 */
import type { Price } from '../store/settings.ts'

type Row = readonly [model: string, input: number, output: number, cacheRead?: number]

const ROWS: readonly Row[] = [
  // Anthropic: the cache is read for a tenth and written for a quarter more, which `prices.ts` knows.
  ['claude-opus-4-6*', 5, 25],
  ['claude-opus-4-5*', 5, 25],
  ['claude-opus-4-1*', 15, 75],
  ['claude-opus-4-2025*', 15, 75],
  ['claude-opus-4', 15, 75],
  ['claude-opus-4-0', 15, 75],
  ['claude-sonnet-4-6*', 3, 15],
  ['claude-sonnet-4-5*', 3, 15],
  ['claude-sonnet-4-2025*', 3, 15],
  ['claude-sonnet-4', 3, 15],
  ['claude-sonnet-4-0', 3, 15],
  ['claude-haiku-4-5*', 1, 5],
  ['claude-3-7-sonnet*', 3, 15],
  ['claude-3-5-sonnet*', 3, 15],
  ['claude-3-5-haiku*', 0.8, 4],
  ['claude-3-opus*', 15, 75],
  ['claude-3-haiku*', 0.25, 1.25],
  // OpenAI
  ['gpt-5.5-pro*', 30, 180, 30],
  ['gpt-5.5*', 5, 30, 0.5],
  ['gpt-5.4-mini*', 0.75, 4.5, 0.075],
  ['gpt-5.4-nano*', 0.2, 1.25, 0.02],
  ['gpt-5.4-pro*', 30, 180, 30],
  ['gpt-5.4*', 2.5, 15, 0.25],
  ['gpt-5.2-pro*', 21, 168, 21],
  ['gpt-5.2*', 1.75, 14, 0.175],
  ['gpt-5.1-codex-mini*', 0.25, 2, 0.025],
  ['gpt-5.1*', 1.25, 10, 0.125],
  ['gpt-5-pro*', 15, 120, 15],
  ['gpt-5-mini*', 0.25, 2, 0.025],
  ['gpt-5-nano*', 0.05, 0.4, 0.005],
  ['gpt-5-codex*', 1.25, 10, 0.125],
  ['gpt-5-chat*', 1.25, 10, 0.125],
  ['gpt-5-2025*', 1.25, 10, 0.125],
  ['gpt-5', 1.25, 10, 0.125],
  ['gpt-4.1-mini*', 0.4, 1.6, 0.1],
  ['gpt-4.1-nano*', 0.1, 0.4, 0.025],
  ['gpt-4.1*', 2, 8, 0.5],
  ['gpt-4o-mini*', 0.15, 0.6, 0.075],
  ['gpt-4o-2*', 2.5, 10, 1.25],
  ['gpt-4o', 2.5, 10, 1.25],
  ['o4-mini*', 1.1, 4.4, 0.275],
  ['o3-mini*', 1.1, 4.4, 0.55],
  ['o3-pro*', 20, 80, 20],
  ['o3-2025*', 2, 8, 0.5],
  ['o3', 2, 8, 0.5],
  ['o1-mini*', 1.1, 4.4, 0.55],
  ['o1-2024*', 15, 60, 7.5],
  ['o1', 15, 60, 7.5],
  // Google
  ['gemini-3-pro*', 2, 12, 0.2],
  ['gemini-3-flash*', 0.5, 3, 0.05],
  ['gemini-2.5-pro*', 1.25, 10, 0.125],
  ['gemini-2.5-flash-lite*', 0.1, 0.4, 0.01],
  ['gemini-2.5-flash*', 0.3, 2.5, 0.03],
  ['gemini-2.0-flash-lite*', 0.075, 0.3, 0.075],
  ['gemini-2.0-flash*', 0.1, 0.4, 0.025],
]

export const KNOWN_PRICES: readonly Price[] = ROWS.map(([model, input, output, cacheRead]) => ({
  model,
  input,
  output,
  cacheRead,
  cacheWrite: undefined,
}))
