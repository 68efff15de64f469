/** What the lines of all clients have in common. Neighbours: `connect-agents.ts` and `connect-sdks.ts` write them. */
import type { WireName } from '../../src/event/event.ts'

export interface Snippet {
  /** Where it goes. */
  readonly title: string
  readonly text: string
}

export interface ClientGuide {
  readonly id: string
  readonly name: string
  readonly wire: WireName
  /** How its `user-agent` begins. */
  readonly agent: RegExp
  /** What `sluice run` calls it. */
  readonly command?: string
  write(facts: Facts): readonly Snippet[]
}

export interface Facts {
  /** Without a slash at the end. */
  readonly url: string
  readonly model: string
  /** What it shows as its API key. */
  readonly shown: string
  readonly isOwn: boolean
  /** The gateway's key goes into a header of its own. */
  readonly isBeside: boolean
}

/** What stands in the place of a key of this gateway. */
export const KEY = 'YOUR_GATEWAY_KEY'

/** Lines, without those that do not hold. */
export const sh = (lines: readonly (string | false)[]): string =>
  lines.filter((line) => line !== false).join('\n')

export const json = (value: object): string => JSON.stringify(value, null, 2)

/** The gateway's key, where it goes into a header of its own. */
export const beside = (isBeside: boolean): object =>
  isBeside ? { headers: { 'x-sluice-key': KEY } } : {}
