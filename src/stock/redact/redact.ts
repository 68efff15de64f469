/**
 * Hides secrets, addresses and numbers on their way to the model and to the client: options → a policy. Neighbours:
 * `request.ts` and `answer.ts` do the two ways, `kinds.ts` has what comes along, `config/policy-redact.ts` reads the
 * options from YAML. Knows no wire.
 */
import { hashHex } from '../../base/hash.ts'
import { SluiceError } from '../../base/sluice-error.ts'
import { definePolicy, type Policy } from '../../policy/policy.ts'
import { change } from '../../policy/verdict.ts'
import { wordToPattern } from '../pattern.ts'
import { AnswerFilter } from './answer.ts'
import { DEFAULT_GROUPS, specsOf, type FindGroup } from './kinds.ts'
import { checkTemplate, createMarkBook, NUMBERED_MARK, PLAIN_MARK, type MarkBook } from './marks.ts'
import type { PatternSpec } from './pattern.ts'
import { hideInRequest } from './request.ts'
import { prepareSearch } from './search.ts'

export interface RedactOptions {
  readonly name?: string
  /** What is looked for. Default: secrets, emails, cards. */
  readonly find?: readonly FindGroup[]
  /** Own patterns in RE2's syntax. Of one with a group `(?P<secret>…)` only the group is hidden. */
  readonly patterns?: readonly OwnPattern[]
  /** Own words, to the letter. */
  readonly words?: readonly string[]
  /** What stands there instead, with `{kind}` and, for pseudonyms, `{number}`. */
  readonly replacement?: string
  /** The same value has the same mark within a conversation, and different ones have different marks. */
  readonly pseudonyms?: boolean
  /** Marks in tool calls become the values again that were hidden in this conversation's requests. */
  readonly restore?: boolean
  /** Where: in requests, in answers, in both. Default: both. */
  readonly in?: readonly ('requests' | 'answers')[]
  /** Whether the system prompt is looked over too. */
  readonly system?: boolean
}

export interface OwnPattern {
  /** What the mark calls it. */
  readonly name: string
  readonly pattern: string
  /** The most characters that its loops may hold back, where only a later one says whether they match. */
  readonly max?: number | undefined
}

/** What is kept of one exchange. */
interface Exchange {
  filter: AnswerFilter | undefined
}

export function redact(options: RedactOptions = {}): Policy {
  const restores = options.restore === true
  const isNumbered = restores || options.pseudonyms === true
  const template = options.replacement ?? (isNumbered ? NUMBERED_MARK : PLAIN_MARK)
  const wrong = checkTemplate(template, isNumbered)
  if (wrong !== undefined)
    throw new SluiceError('wrong-use', `Cannot use the replacement: ${wrong}`)
  const startSearch = prepareSearch({ specs: toSpecs(options), template, isNumbered, restores })
  const where = options.in ?? ['requests', 'answers']

  return definePolicy<never, Exchange, MarkBook | undefined>({
    name: options.name ?? 'redact',
    version: versionOf(options, template),
    holds: [],
    watches: [],
    state: () => ({ filter: undefined }),
    memory: () => (isNumbered ? createMarkBook(template) : undefined),
    ...(where.includes('requests')
      ? {
          onRequest(request, { memory }) {
            const search = startSearch(memory)
            const hidden = hideInRequest(request, {
              search,
              isSystemHidden: options.system === true,
            })
            if (hidden === request) return undefined
            return change(hidden, {
              tags: ['redacted'],
              details: Object.fromEntries(search.counts),
            })
          },
        }
      : {}),
    ...(where.includes('answers')
      ? {
          onChunk(chunk, _state, ctx) {
            const { state } = ctx
            const filter = (state.filter ??= new AnswerFilter(
              startSearch(ctx.memory),
              ctx.send.bind(ctx),
            ))
            return filter.push(chunk)
          },
          onFinish(_state, { state, log }) {
            const counts = state.filter?.counts()
            if (counts !== undefined && counts.size > 0)
              log.info('Redacted in the answer', Object.fromEntries(counts))
          },
        }
      : {}),
  })
}

/** Another one when marks or patterns change. Words are secrets themselves and leave no trace. */
const versionOf = ({ words: _words, ...rest }: RedactOptions, template: string): string =>
  hashHex(JSON.stringify([rest, template]))

/** Own ones first: of two that find the same, theirs gives the name. */
function toSpecs(options: RedactOptions): readonly PatternSpec[] {
  const own = (options.patterns ?? []).map(({ name, pattern, max }) => ({
    kind: name,
    pattern,
    max,
    isWide: true,
  }))
  const words = [...new Set(options.words ?? [])].filter((word) => word !== '')
  const named = words.map((word) => ({ kind: 'word', pattern: wordToPattern(word, false) }))
  return [...own, ...named, ...specsOf(options.find ?? DEFAULT_GROUPS)]
}
