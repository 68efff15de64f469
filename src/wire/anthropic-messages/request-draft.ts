/**
 * What the writers of one request share: where its losses and problems go, what its tools are called, and how
 * its client spells things. Neighbours: `request-write.ts` makes one; the `request-*-write.ts` use it.
 */
import { createLossList, type LossList } from '../../event/loss.ts'
import { createCallNames, type CallNames } from '../../request/call-names.ts'
import type { Profile } from '../../request/profile.ts'
import type { ModelRequest } from '../../request/request.ts'
import type { WriteOptions } from '../../request/write.ts'
import { createProblems, type Problems } from './request-problems.ts'
import { spellingOf, type Spelling } from './request-spelling.ts'

export interface Draft {
  readonly request: ModelRequest
  readonly options: WriteOptions
  readonly profile: Profile
  readonly losses: LossList
  readonly problems: Problems
  readonly names: CallNames
  readonly spelling: Spelling
  readonly maxTokens: number
}

export function createDraft(request: ModelRequest, options: WriteOptions): Draft {
  const { profile } = options
  return {
    request,
    options,
    profile,
    losses: createLossList(),
    problems: createProblems(),
    names: createCallNames({ tools: request.tools, maxLength: profile.maxToolName }),
    spelling: spellingOf(request.source.wire),
    maxTokens: Math.floor(request.maxTokens ?? profile.maxTokens),
  }
}
