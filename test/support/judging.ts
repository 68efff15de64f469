/**
 * Tables of what a judge must refuse. Neighbours: `test/conformance/requests-judges*.test.ts`.
 */
import { expect } from 'vitest'
import type { Finding, Json } from './api-rules.ts'

/** What is changed in a legal body, and a word of the refusal; none for what is taken. */
export type Row = readonly [what: string, change: Json, refusal: RegExp | undefined]

export function expectFinding(findings: readonly Finding[], refusal: RegExp | undefined): void {
  if (refusal === undefined) expect(findings).toEqual([])
  else expect(findings.map(({ message }) => message).join('\n')).toMatch(refusal)
}
